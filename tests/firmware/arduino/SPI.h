#ifndef STUB_SPI_H
#define STUB_SPI_H

struct StubSpi {
};

extern StubSpi SPI;

#endif
