/* What the Arduino core does with a sketch. */
#include <Arduino.h>

#include "sdbench.ino"

int main()
{
    setup();
    loop();
    puts(ram_card_left());
    return 0;
}
