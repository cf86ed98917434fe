/* As much of FatFs R0.15 as the hooks of README.md need. */
#ifndef FF_DEFINED
#define FF_DEFINED 80286

#include <stdint.h>

#define FF_LBA64         0
#define FA_WRITE         0x02
#define FA_CREATE_ALWAYS 0x08

typedef unsigned int UINT;
typedef unsigned char BYTE;
typedef uint32_t DWORD;
typedef DWORD LBA_t;
typedef enum { FR_OK = 0, FR_DISK_ERR = 1 } FRESULT;

typedef struct {
    LBA_t next;
} FIL;

FRESULT f_open(FIL *file, const char *path, BYTE mode);
FRESULT f_write(FIL *file, const void *data, UINT size, UINT *done);
FRESULT f_close(FIL *file);

#endif
