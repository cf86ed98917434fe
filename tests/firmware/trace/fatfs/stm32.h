/* A timer of an STM32, and its ticks, for trace_clock.h. */
#ifndef STM32_H
#define STM32_H

#include <stdint.h>

typedef struct {
    volatile uint32_t CNT;
} stub_timer;

extern stub_timer stub_tim2;
#define TIM2 (&stub_tim2)
uint32_t HAL_GetTick(void);

#endif
