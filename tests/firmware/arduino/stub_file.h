/* The file object of all the libraries: their read() and seek() differ in types only. */
#ifndef STUB_FILE_H
#define STUB_FILE_H

#include "ram_card.h"

template <typename Size> class StubFile
{
  public:
    StubFile() : open_(false)
    {
    }
    explicit StubFile(bool open) : open_(open)
    {
    }
    size_t write(const uint8_t *data, size_t size)
    {
        return ram_card_write(data, (uint32_t)size);
    }
    int read(void *data, Size size)
    {
        return (int)ram_card_read(data, (uint32_t)size);
    }
    bool seek(uint32_t position)
    {
        return ram_card_seek(position);
    }
    uint32_t size()
    {
        return ram_card.size;
    }
    void flush()
    {
        ram_card_sync();
    }
    void close()
    {
        open_ = false;
    }
    operator bool() const
    {
        return open_;
    }

  private:
    bool open_;
};

struct StubFolder {
    bool exists(const char *)
    {
        return ram_card_exists();
    }
    bool remove(const char *)
    {
        return ram_card_remove();
    }
};

#endif
