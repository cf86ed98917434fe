/* What ESP-IDF does with an application. */
#include "idf.h"

int main(void)
{
    app_main();
    return 0;
}
