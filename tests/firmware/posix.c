/* sdbench.h on a PC, through open() or fopen(). */
#include "sdbench.h"

int main(void)
{
    return sdbench_run();
}
