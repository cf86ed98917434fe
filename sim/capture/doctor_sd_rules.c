#include "capture/doctor_parts.h"

#define NAME(name) .check = sdsim_doctor_check_sd_##name

/* Sections are those of the SD Physical Layer Simplified Specification 9.10. */
static const struct sdsim_doctor_rule rules[] = {
    {"sd-power-up-clocks", SDSIM_NOTE, "fewer than 74 clocks before CMD0",
     "A card needs 74 clocks or more with CMD high before its first command (section 6.4.1).",
     "Let the clock run for 1 ms at 400 kHz before CMD0.", NAME(power_up)},
    {"sd-init-clock", SDSIM_WARNING, "initialised above 400 kHz",
     "Until it is identified a card is only sure to follow 100 to 400 kHz (section 4.2).",
     "Set the clock to 400 kHz or less until CMD3 is answered.", NAME(init_clock)},
    {"sd-cmd8-echo", SDSIM_ERROR, "CMD8 was not echoed",
     "R7 repeats the check pattern and the voltage (section 4.9.6).",
     "Look at the lines and the sampling edge; then at the voltage.", NAME(cmd8_echo)},
    {"sd-not-ready", SDSIM_ERROR, "the card was not initialised",
     "Until ACMD41 is answered with bit 31 set, a card is in idle state and knows neither "
     "identification nor data commands (section 4.2.3).",
     "Repeat CMD55 + ACMD41 until bit 31 is set, at least for 1 s.", NAME(not_ready)},
    {"sd-acmd41-without-cmd55", SDSIM_ERROR, "ACMD41 without CMD55 before it",
     "41 is an application command: only behind CMD55 does a card know it (section 4.3.9).",
     "Send CMD55 before each ACMD41.", NAME(acmd41_without_cmd55)},
    {"sd-acmd41-no-hcs", SDSIM_ERROR, "ACMD41 without HCS",
     "A card of high capacity stays busy for a host that does not say HCS (argument bit 30, "
     "section "
     "4.2.3).",
     "If CMD8 was answered, set bit 30 of the argument.", NAME(acmd41_no_hcs)},
    {"sd-acmd41-slow-polls", SDSIM_WARNING, "ACMD41 was asked seldom",
     "The host polls with less than 50 ms between commands (section 4.2.3).",
     "Poll more often, or let the clock run.", NAME(acmd41_slow)},
    {"sd-acmd41-gave-up", SDSIM_WARNING, "the host gave up on ACMD41",
     "A card may take 1 s from the first ACMD41 (section 4.2.3).",
     "Go on for 1 s at least, counted in time, not in polls.", NAME(acmd41_gave_up)},
    {"sd-not-selected", SDSIM_ERROR, "the card was not selected",
     "After CMD3 a card is in stand-by state; CMD7 with its address brings it to the transfer "
     "state "
     "that data commands need (section 4.3).",
     "Send CMD7 with the RCA of CMD3's response.", NAME(not_selected)},
    {"sd-wrong-rca", SDSIM_ERROR, "sent to another address",
     "Addressed commands carry the RCA of CMD3's last response in their upper 16 bits (section "
     "4.2.3); a card with another one is silent.",
     "Keep the RCA, also for CMD55, and take it anew after each CMD3.", NAME(wrong_rca)},
    {"sd-idle-again", SDSIM_ERROR, "the card started anew",
     "A card that was identified comes back to an early state only by CMD0 or without power.",
     "Look at the supply while it writes: 100 to 200 mA, more in peaks.", NAME(idle_again)},
    {"sd-command-crc", SDSIM_ERROR, "a command with a wrong CRC7",
     "On the SD bus every command is checked; a card does not answer a wrong one and sets bit 23 "
     "of "
     "its status (section 4.5).",
     "Signal: series resistor, shorter wires, a lower clock. Software: make the CRC7 of all 40 "
     "bits.",
     NAME(command_crc)},
    {"sd-response-crc", SDSIM_WARNING, "a response with a wrong CRC7",
     "R1, R2, R6 and R7 carry a CRC7 (section 4.9); where it is wrong the line was disturbed, or "
     "recorded too seldom.",
     "Record with eight samples a clock or more; if it stays, look at CMD's pull-up and the clock.",
     NAME(response_crc)},
    {"sd-no-response", SDSIM_ERROR, "no response",
     "A response begins 2 to 64 clocks behind its command (N_CR, section 4.12).",
     "The card was in another state, the address was another's, CMD or CLK is not connected, or it "
     "has no power.",
     NAME(no_response)},
    {"sd-crc-told", SDSIM_ERROR, "the card heard a command with a wrong CRC7",
     "Bit 23 of the card status (section 4.10.1), told in the next response.",
     "The host sent it right if the record shows it so: look at CLK and CMD near the card.",
     NAME(crc_told)},
    {"sd-illegal-told", SDSIM_WARNING, "the card was sent an illegal command",
     "Bit 22 of the card status (section 4.10.1): one it does not know, or not in its state; it "
     "was not answered either.",
     "Look at the command before this response.", NAME(illegal_told)},
    {"sd-error-told", SDSIM_ERROR, "the card reports an error",
     "An error bit of the card status (section 4.10.1).",
     "Read the status again after CMD12; a block that fails more than once is lost.",
     NAME(error_told)},
    {"sd-address-told", SDSIM_ERROR, "the address or length was refused",
     "Bits 31 to 29 of the card status: beyond the card, not on a block's border, or a wrong block "
     "length (section 4.10.1).",
     "Check the capacity, and whether the card counts blocks or bytes (OCR bit 30).",
     NAME(address_told)},
    {"sd-byte-address", SDSIM_ERROR, "byte addresses on a card that counts blocks",
     "With OCR bit 30 (CCS) set, addresses are numbers of blocks (section 4.3.14).",
     "Do not multiply the block number by 512.", NAME(byte_address)},
    {"sd-block-address", SDSIM_ERROR, "block numbers on a card that counts bytes",
     "With OCR bit 30 (CCS) clear, addresses are bytes and multiples of 512 (section 4.3.14).",
     "Multiply the block number by 512.", NAME(block_address)},
    {"sd-too-fast", SDSIM_WARNING, "above 25 MHz in default speed",
     "Default speed ends at 25 MHz; CMD6 switches a card to high speed and 50 MHz (sections 4.3.10 "
     "and 6.6).",
     "Send CMD6 with 80FFFFF1, look at its answer, then raise the clock.", NAME(too_fast)},
    {"sd-read-crc", SDSIM_ERROR, "a block arrived with a wrong CRC16",
     "Each line carries a CRC16 of its own behind the data (section 4.5).",
     "Signal: pull-ups on all four lines, equal wires, a lower clock, the other sampling edge.",
     NAME(read_crc)},
    {"sd-block-refused", SDSIM_ERROR, "the card refused a block",
     "The CRC status behind a written block is 010 if it arrived right, 101 if not (section "
     "4.3.4).",
     "Signal: the card sees other bits than the host sent; try a lower clock.",
     NAME(block_refused)},
    {"sd-status-missing", SDSIM_ERROR, "no CRC status behind a written block",
     "The card answers each block on DAT0, two clocks behind its end bit (section 4.3.4).",
     "The card did not take it for a block: width of the bus (ACMD6), start bit, clock going on "
     "behind the block.",
     NAME(status_missing)},
    {"sd-busy-late", SDSIM_WARNING, "busy began late behind a block",
     "A host may send the next block two clocks behind the CRC status (N_WR, vendor manuals), so a "
     "card shows busy in the second of them at latest.",
     "Give eight clocks behind the CRC status before DAT0 is taken for ready.", NAME(busy_late)},
    {"sd-no-data", SDSIM_ERROR, "no data behind a read command",
     "A block begins within 100 ms of a read command (section 4.6.2.1).",
     "Let the clock run and wait 100 ms, in time, not in polls; look at DAT0.", NAME(no_data)},
    {"sd-read-while-busy", SDSIM_ERROR, "a read command while the card was busy",
     "While DAT0 is low the card programs and takes no read command (section 4.3.4).",
     "Wait for DAT0 high, or for state 4 and bit 8 in the answer to CMD13.", NAME(read_while_busy)},
    {"sd-not-stopped", SDSIM_ERROR, "a transfer of several blocks was not ended",
     "CMD18 and CMD25 go on until CMD12, if no CMD23 said how many blocks (section 4.3.3).",
     "Send CMD12 behind the last block.", NAME(not_stopped)},
    {"sd-limits", SDSIM_WARNING, "the card took longer than allowed",
     "100 ms for a block read, 250 ms of busy behind a write, 500 ms for SDXC (section 4.6.2).",
     "The host's limits must be longer; buffer what arrives meanwhile.", NAME(limits)},
    {"sd-glitch", SDSIM_NOTE, "short pulses on CMD",
     "A frame has 48 or 136 bits; a card may take a pulse for the beginning of one.",
     "Pull-up of 10 to 50 kOhm on CMD; look at crosstalk from CLK.", NAME(glitch)},
    {"sd-width", SDSIM_WARNING, "the bus is not as wide as it was set",
     "ACMD6 sets the width for the card (section 4.3.1); the host must be set to the same.",
     "Send ACMD6 after CMD7, and set the host at the same time.", NAME(width)},
    {"sd-one-line", SDSIM_NOTE, "data goes over one line",
     "Every SD card has four data lines, and takes a quarter of the clocks over all "
     "of them.",
     "ACMD6 with argument 2, and four lines in the host.", NAME(one_line)},
};

_Static_assert(sizeof rules / sizeof *rules <= SDSIM_DOCTOR_MOST_RULES, "a finding for each rule");

const struct sdsim_doctor_book sdsim_doctor_sd_book = {rules, sizeof rules / sizeof *rules};
