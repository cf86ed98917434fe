#include "capture/doctor_parts.h"

#define NAME(name) .check = sdsim_doctor_check_##name

/* Sections are those of the SD Physical Layer Simplified Specification 9.10. */
static const struct sdsim_doctor_rule rules[] = {
    {"power-up-cs-low", SDSIM_ERROR, "the clocks before CMD0 came with CS low",
     "A card needs 74 clocks or more with CS and MOSI high before CMD0 (sections 6.4.1 and 7.2.1). "
     "Many cards forgive it, some stay in SD mode and never answer.",
     "Raise CS, send ten bytes of FF, then lower CS and send CMD0.", NAME(power_up_cs_low)},
    {"power-up-clocks", SDSIM_ERROR, "fewer than 74 clocks before CMD0",
     "A card needs 74 clocks or more with CS and MOSI high before CMD0 (section 6.4.1).",
     "Send ten bytes of FF (80 clocks) with CS high.", NAME(power_up_clocks)},
    {"power-up-mosi-low", SDSIM_ERROR, "MOSI was low during the clocks before CMD0",
     "CS and MOSI must be high during the 74 clocks (section 6.4.1); MOSI low may be taken for the "
     "start of a command.",
     "Send FF, not 00: look at the filler byte of the SPI layer.", NAME(power_up_mosi)},
    {"init-clock", SDSIM_WARNING, "initialised above 400 kHz",
     "Until it is initialised a card is only sure to follow 100 to 400 kHz (section 4.2).",
     "Set the clock to 400 kHz or less until ACMD41 answers 00.", NAME(init_clock)},
    {"cmd0-crc", SDSIM_ERROR, "CMD0 without its right CRC",
     "The card is still in SD mode when CMD0 arrives and checks its CRC7 (section 7.2.2).",
     "Send 40 00 00 00 00 95.", NAME(cmd0_crc)},
    {"cmd0-not-idle", SDSIM_ERROR, "CMD0 was not answered with the idle bit",
     "CMD0 puts a card in idle state, and R1 says so: 01 (section 7.2.1). Real cards do; look at "
     "an "
     "emulated one, or at MISO, which may be low all the time.",
     "Emulator: the idle bit follows the card's state, not OCR bit 31.", NAME(cmd0_not_idle)},
    {"cmd8-crc", SDSIM_ERROR, "CMD8 without its right CRC",
     "The CRC7 of CMD8 is always checked (section 7.2.2); a card answers 09 to a wrong one.",
     "48 00 00 01 AA 87; another argument has another CRC.", NAME(cmd8_crc)},
    {"cmd8-illegal", SDSIM_NOTE, "CMD8 is illegal for this card",
     "It is a card of version 1, or an MMC (section 7.2.1): it has no high capacity.",
     "Go on with ACMD41 without HCS; if that is illegal too, with CMD1.", NAME(cmd8_illegal)},
    {"cmd8-echo", SDSIM_ERROR, "CMD8 was not echoed",
     "R7 repeats the check pattern and the voltage (section 4.9.6). If it does not, the card can't "
     "work at this voltage, or bytes were lost or shifted.",
     "Look at the clock edge and at the filler byte; then at the voltage.", NAME(cmd8_echo)},
    {"not-initialised", SDSIM_ERROR, "the card was never initialised",
     "After CMD0 a card is in idle state (R1 bit 0) and reads and writes nothing until ACMD41 says "
     "ready (section 7.2.1).",
     "CMD0, CMD8, then CMD55 + ACMD41 until it answers 00, at least for 1 s.",
     NAME(not_initialised)},
    {"acmd41-not-repeated", SDSIM_ERROR, "ACMD41 was not repeated until the card was ready",
     "ACMD41 starts the initialisation and answers 01 while it goes on; a card may take 1 s "
     "(section "
     "4.2.3). In idle state no block can be read or written.",
     "Repeat CMD55 + ACMD41 until ACMD41 answers 00, at least for 1 s.", NAME(acmd41_not_repeated)},
    {"acmd41-without-cmd55", SDSIM_ERROR, "ACMD41 without CMD55 before it",
     "41 is an application command: only behind CMD55 does a card know it (section 4.3.9).",
     "Send CMD55 (77 00 00 00 00 65) before each ACMD41.", NAME(acmd41_without_cmd55)},
    {"acmd41-illegal", SDSIM_WARNING, "ACMD41 is illegal for this card",
     "An MMC does not know application commands (section 7.2.1).",
     "Initialise it with CMD1 until that answers 00.", NAME(acmd41_illegal)},
    {"acmd41-no-hcs", SDSIM_ERROR, "ACMD41 without HCS",
     "A card of high capacity stays in idle state for a host that does not say HCS (argument bit "
     "30, "
     "section 4.2.3).",
     "If CMD8 was answered, send ACMD41 with 40 00 00 00.", NAME(acmd41_no_hcs)},
    {"acmd41-gave-up", SDSIM_WARNING, "the host gave up on ACMD41",
     "A card may take 1 s from the first ACMD41 (section 4.2.3).",
     "Give it 1 s by the clock, not so many polls, whose time depends on the bus.",
     NAME(acmd41_gave_up)},
    {"acmd41-slow-polls", SDSIM_NOTE, "more than 50 ms between two ACMD41",
     "The host polls with less than 50 ms between commands (section 4.2.3).",
     "Poll more often, or let the clock run.", NAME(acmd41_slow)},
    {"silence-not-retried", SDSIM_WARNING, "the host stopped at the first missing answer",
     "A card may be silent for some time after power-up, or fail one CMD55 (seen with several "
     "drivers: cold boots fail where warm ones work).",
     "Take silence for 'not yet' and try again until 1 s is over.", NAME(silence_not_retried)},
    {"cmd1", SDSIM_NOTE, "CMD1 initialises an MMC",
     "SD cards are initialised by ACMD41; CMD1 is legal for thin ones only (section 7.3.1.3).",
     "Use CMD1 only if ACMD41 is illegal.", NAME(cmd1)},
    {"ocr-contradiction", SDSIM_ERROR, "R1 and OCR contradict each other",
     "OCR bit 31 is set when the power-up is over, and so is R1's idle bit cleared (sections 5.1 "
     "and "
     "7.3.2.1).",
     "No real card does that: look at the emulator, or at bits that were lost.",
     NAME(ocr_contradiction)},
    {"idle-again", SDSIM_ERROR, "the card fell back into idle state",
     "It was ready and nobody sent CMD0: it started anew, most likely because its supply dropped.",
     "Look at VDD while the card writes; add capacitance at the socket.", NAME(idle_again)},
    {"transmission-bit", SDSIM_ERROR, "a command without its transmission bit",
     "A command's first byte is 01 and six bits of index (section 7.3.1.1): 40 more than its "
     "number.",
     "Add 0x40: 69 for ACMD41, not 29.", NAME(transmission_bit)},
    {"answer-shifted", SDSIM_ERROR, "answers are shifted by bits",
     "R1 has one or two bits set at most, and a start bit 0 at a byte's border. 03, 07, 0F, 1F, 3F "
     "and 7F are 01 read one to six bits late.",
     "SPI mode 0 (data sampled at the rising edge); look for a glitch on SCK and for the pull-up "
     "of "
     "MISO; try a lower clock.",
     NAME(answer_shifted)},
    {"no-response", SDSIM_ERROR, "no response",
     "R1 comes within 8 bytes of a command (N_CR, vendor manuals).",
     "No card, no power, CS or MISO not connected, the card still in SD mode (clocks with CS high "
     "before CMD0), MISO without pull-up, or a command it could not hear.",
     NAME(no_response)},
    {"response-not-awaited", SDSIM_WARNING, "the host did not wait for R1",
     "R1 comes 0 to 8 bytes behind a command (N_CR, vendor manuals), which depends on the card.",
     "Read bytes until one has bit 7 clear, at least nine.", NAME(response_not_awaited)},
    {"answer-not-there", SDSIM_NOTE, "the record ends where an answer would begin",
     "R1 comes 0 to 8 bytes behind a command, and both sides of a line that are equally long are "
     "taken for simultaneous.",
     "If the bytes behind '->' were read after the frame, write them as FF*10, or - for no answer.",
     NAME(answer_not_there)},
    {"miso-stuck-low", SDSIM_ERROR, "MISO was low all the time",
     "No answer begins with 00 after 00: the line is held low by a short, by another device, or by "
     "a "
     "card without power.",
     "Measure MISO with the card out: it must be high by its pull-up.", NAME(stuck_low)},
    {"crc-refused", SDSIM_ERROR, "the card found a wrong CRC in a command",
     "R1 bit 3 (section 7.3.2.1).", "Send the right CRC7, or CMD59 with argument 0.",
     NAME(crc_refused)},
    {"crc-on", SDSIM_ERROR, "a wrong CRC while CRC is switched on",
     "After CMD59 with argument 1 every command and block is checked (section 7.2.2).",
     "Send right CRCs, or CMD59 with argument 0.", NAME(crc_on)},
    {"mandatory-command-illegal", SDSIM_ERROR, "the card does not know a command it must know",
     "Every SD card knows it in SPI mode (tables 7-3 and 7-4).",
     "An emulated card must answer it; a real one was asked in the wrong state.",
     NAME(illegal_mandatory)},
    {"illegal-command", SDSIM_NOTE, "a command was illegal",
     "R1 bit 2: the card does not know it, or not in this state (section 7.3.2.1).",
     "Probing for other card types does that; otherwise look at the state.", NAME(illegal_command)},
    {"response-cut", SDSIM_NOTE, "a response was not read to its end",
     "R2 has 2 bytes, R3 and R7 have 5 (section 7.3.2).", "Read all of it.", NAME(response_cut)},
    {"r2-not-driven", SDSIM_WARNING, "the second byte of the status is FF",
     "R1 = 00 and then all eight error bits at once is no status: nobody drove MISO any more.",
     "Keep CS low and read the second byte directly behind R1.", NAME(r2_not_driven)},
    {"r2-shifted", SDSIM_WARNING, "a status with impossible bits",
     "So many bits at once are shifted or disturbed bits, not errors of the card.",
     "Look at wiring, pull-up and clock; ignore the status if the data is right.",
     NAME(r2_shifted)},
    {"acmd13-r1", SDSIM_ERROR, "ACMD13 was answered with R1",
     "In SPI mode ACMD13 has R2, two bytes, and then a block of 64 (table 7-4).",
     "Emulator: send a second byte 00 before the start token.", NAME(acmd13_r1)},
    {"frame-cut", SDSIM_WARNING, "a command frame was not finished",
     "A frame has six bytes under one CS low (section 7.3.1.1); the card drops what is shorter.",
     "Keep CS low for the whole command; switch automatic chip select per byte off.",
     NAME(frame_cut)},
    {"mosi-low-while-waiting", SDSIM_WARNING, "MOSI is not high while the host waits",
     "While it waits for a response, data or busy the host sends FF: any 0 may start a command "
     "(section 7.2).",
     "Make the SPI layer's filler byte FF; check by a loop from MOSI to MISO: a read must give FF.",
     NAME(mosi_low)},
    {"command-with-cs-high", SDSIM_ERROR, "a command was sent with CS high",
     "With CS high a card neither listens nor answers (section 7.2).",
     "Lower CS before the command; look at which pin CS is.", NAME(cs_high_command)},
    {"data-with-cs-high", SDSIM_ERROR, "data was moved with CS high",
     "CS stays low from the command to the end of its data (section 7.2): a card that is not "
     "selected "
     "neither takes bytes nor sends them.",
     "Raise CS only behind the data; of a write, behind its data response.", NAME(cs_high_data)},
    {"answer-with-cs-high", SDSIM_ERROR, "MISO was driven with CS high",
     "With CS high a card leaves MISO free (section 7.2): others share the bus.",
     "Emulator: gate everything by CS.", NAME(cs_high_answer)},
    {"no-clocks-after-cs", SDSIM_WARNING, "another device was used directly after CS high",
     "A card releases MISO one clock after CS goes high: until then it disturbs the others (vendor "
     "manuals).",
     "Send one byte of FF with CS high before you select another device.", NAME(shared_bus)},
    {"torn-byte", SDSIM_WARNING, "CS changed in the middle of a byte",
     "Everything on the bus comes in whole bytes from CS low on (section 7.2).",
     "Look for lost or additional edges on SCK; if none, wait for the last byte before CS.",
     NAME(torn_byte)},
    {"address-refused", SDSIM_ERROR, "the card refused an address",
     "R1 bit 5: not on a block's border; bit 6: beyond the card, or no valid argument (section "
     "7.3.2.1).",
     "SDSC counts bytes, SDHC and SDXC count blocks: OCR bit 30 tells which.",
     NAME(address_refused)},
    {"byte-address", SDSIM_WARNING, "byte addresses on a card that counts blocks",
     "With OCR bit 30 (CCS) set, addresses are numbers of blocks (section 4.3.14).",
     "Send the block's number, not 512 times it.", NAME(byte_address)},
    {"block-address", SDSIM_ERROR, "block addresses on a card that counts bytes",
     "With OCR bit 30 (CCS) clear, addresses are bytes and multiples of 512 (section 4.3.14).",
     "Multiply the block's number by 512.", NAME(block_address)},
    {"cmd16-missing", SDSIM_NOTE, "no CMD16 before the first block of an SDSC card",
     "Its block length is READ_BL_LEN until CMD16 sets it, which is 1024 or 2048 on cards of 2 GB "
     "and "
     "more (section 5.3.2).",
     "Send CMD16 with 512 after the initialisation.", NAME(cmd16_missing)},
    {"response-for-data", SDSIM_ERROR, "the host did not wait for the start token",
     "A block begins with FE, which comes any time up to 100 ms after R1 (section 7.3.3); all "
     "before "
     "it is FF and no data.",
     "Read bytes until FE comes; then 512 bytes and two of CRC.", NAME(response_for_data)},
    {"token-shifted", SDSIM_ERROR, "the start token is shifted by bits",
     "Data began, but no byte FE was there: MISO was sampled late.",
     "Lower the clock, or sample later (delay setting, other edge); shorten the wires.",
     NAME(token_shifted)},
    {"no-data", SDSIM_WARNING, "no block came",
     "A read that was answered 00 gives a start token or an error token within 100 ms (section "
     "4.6.2.1).",
     "Wait 100 ms by the clock; if nothing comes, send CMD12 or CMD0.", NAME(no_data)},
    {"read-cut", SDSIM_WARNING, "a block was not read to its end",
     "The card goes on sending until the CRC is out, or drops it: that depends on the card "
     "(section "
     "7.2.3).",
     "Read 512 bytes and the two of CRC before CS goes high, or send CMD12.", NAME(read_cut)},
    {"write-cut", SDSIM_ERROR, "CS went high within a block",
     "CS stays low from the command to the data response (section 7.2): the card drops the block "
     "or "
     "waits for the rest.",
     "Raise CS only behind the data response; during busy it may be high.", NAME(write_cut)},
    {"read-crc", SDSIM_ERROR, "a block that was read has a wrong CRC",
     "Bits changed on their way, or the block was taken from the wrong place.",
     "Check every CRC16 in the driver; lower the clock; look at MISO.", NAME(read_crc)},
    {"error-token", SDSIM_ERROR, "a data error token instead of a block",
     "The card could not read the block (section 7.3.3.3).",
     "Out of range: look at address and capacity. ECC or controller: the card is failing.",
     NAME(error_token)},
    {"read-not-stopped", SDSIM_WARNING, "CMD18 was not stopped by CMD12",
     "CMD18 sends blocks until CMD12 (section 7.2.3); what other commands do to it depends on the "
     "card.",
     "Send CMD12, drop one byte, and wait for R1 and busy.", NAME(read_not_stopped)},
    {"token-before-response", SDSIM_ERROR, "a block was sent before the response",
     "The start token follows R1 by a byte or more (N_WR, vendor manuals): before it the card is "
     "not "
     "listening for data.",
     "Wait until R1 has come and is 00.", NAME(token_before_response)},
    {"token-while-busy", SDSIM_ERROR, "a block or a stop token was sent while the card was busy",
     "While MISO is low the card takes nothing (section 7.2.4).",
     "Read bytes until FF comes, then send the token.", NAME(token_while_busy)},
    {"wrong-token", SDSIM_ERROR, "the wrong start token",
     "Blocks of CMD24 begin with FE, blocks of CMD25 with FC (section 7.3.3.2).",
     "FE for CMD24, FC for CMD25, FD to stop.", NAME(wrong_token)},
    {"n-wr-0", SDSIM_NOTE, "the start token came without a byte before it",
     "N_WR is one byte at least (vendor manuals). Cards are known that take it at 0.",
     "Send one FF before the token.", NAME(n_wr_0)},
    {"write-crc-missing", SDSIM_WARNING, "a written block without CRC bytes",
     "Two bytes follow the data even if nobody checks them (section 7.3.3.2); a real card takes "
     "the "
     "next two bytes for them.",
     "Send the CRC16, or FF FF while CRC is off.", NAME(write_crc_missing)},
    {"data-response-missing", SDSIM_WARNING, "a written block without a data response",
     "The byte behind a written block's CRC tells whether it was accepted (section 7.3.3.1).",
     "Read it and look at (byte & 1F): 05 is accepted.", NAME(data_response_missing)},
    {"block-refused", SDSIM_ERROR, "the card refused a block",
     "Data response 0B: wrong CRC; 0D: write error (section 7.3.3.1).",
     "After 0B send it again, slower; after 0D ask CMD13 why.", NAME(block_refused)},
    {"data-response-odd", SDSIM_WARNING, "a data response that is none",
     "It is xxx0sss1 with sss 010, 101 or 110, in the byte directly behind the CRC (section "
     "7.3.3.1).",
     "The bytes may be shifted, or the count of data bytes wrong.", NAME(data_response_odd)},
    {"busy-polled-early", SDSIM_ERROR, "busy was looked for too early behind the stop token",
     "Behind FD one byte may pass before the card pulls MISO low (N_BR is 0 or 1, vendor manuals); "
     "that byte is FF and does not mean ready.",
     "Read and drop one byte behind FD, then wait for FF.", NAME(busy_polled_early)},
    {"command-while-busy", SDSIM_ERROR, "a command was sent to a busy card",
     "A busy card takes only CMD0, CMD12 and CMD13 (section 7.2.4); anything else is lost.",
     "Before a command read bytes until FF comes, also after CS was high.",
     NAME(command_while_busy)},
    {"write-not-stopped", SDSIM_WARNING, "CMD25 was not stopped by the stop token",
     "In SPI mode FD ends CMD25 (section 7.2.4).",
     "Send FD between two blocks, then wait for ready.", NAME(write_not_stopped)},
    {"time-limits", SDSIM_NOTE, "the card took longer than the specification allows",
     "100 ms for a block read, 250 ms of busy (500 ms for SDXC) (section 4.6.2).",
     "Give it more time; some cards need up to 0.9 s.", NAME(limits)},
    {"payload-looks-like-commands", SDSIM_NOTE, "data that looks like commands",
     "Between the start token and the CRC everything is data; decoders that do not follow blocks "
     "show commands there.",
     "Nothing is wrong; do not trust a decoder that shows them.", NAME(payload_commands)},
};

_Static_assert(sizeof rules / sizeof *rules <= SDSIM_DOCTOR_MOST_RULES, "a finding for each rule");

const struct sdsim_doctor_book sdsim_doctor_spi_book = {rules, sizeof rules / sizeof *rules};
