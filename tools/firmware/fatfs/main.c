/*
 * How fast does this firmware read and write this SD card? For any firmware with FatFs and a
 * working diskio.c: with sdbench.h beside it, call measure_card() once the clocks, the console
 * behind putchar() and the card's interface are set up. Makes a file SDBENCH.BIN on the card, up to
 * 4 MiB, and deletes it again. Takes under a minute.
 *
 * The clock here is the cycle counter of a Cortex-M3 or later, through CMSIS. Elsewhere define
 * SDBENCH_MICROS() as what the vendor has, such as time_us_32() of the Pico SDK.
 */
#if !defined(SDBENCH_MICROS)
#include <stdint.h>

#include "main.h" /* STM32CubeMX; anything that includes the CMSIS header of the device */

/* The counter wraps after 2^32 cycles, 25 s at 168 MHz; each call is far shorter, so adding up the
 * differences doesn't. */
static uint32_t cycles_as_micros(void)
{
    static uint32_t last;
    static uint32_t rest;
    static uint32_t micros;
    const uint32_t now = DWT->CYCCNT;
    const uint32_t per_micro = SystemCoreClock / 1000000u;
    const uint32_t cycles = now - last + rest;
    last = now;
    rest = cycles % per_micro;
    micros += cycles / per_micro;
    return micros;
}

static void start_clock(void)
{
    CoreDebug->DEMCR |= CoreDebug_DEMCR_TRCENA_Msk;
    DWT->CYCCNT = 0;
    DWT->CTRL |= DWT_CTRL_CYCCNTENA_Msk;
}
#define SDBENCH_MICROS() cycles_as_micros()
#else
static void start_clock(void)
{
}
#endif

/* What the program can't find out; sdbench.h lists all of it. Remove a line that you don't know. */
#define SDBENCH_FATFS
#define SDBENCH_CARD   "" /* as printed on it: "SanDisk Ultra 32GB A1 U1" */
#define SDBENCH_DRIVER "stm32-hal-sd"
#define SDBENCH_BUS    "sd4"
#include "sdbench.h"

int measure_card(void)
{
    static FATFS volume;
    start_clock();
    if (f_mount(&volume, "", 1) != FR_OK) {
        printf("# error: no card, or no FAT volume on it\n");
        return 1;
    }
    const int status = sdbench_run();
    f_mount(NULL, "", 0);
    return status;
}

int main(void)
{
    /* Set up clocks, console and card interface here. */
    return measure_card();
}
