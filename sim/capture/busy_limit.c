#include "capture/busy_limit.h"

#include <stddef.h>

#include "card/decode.h"

#define SDHC_LIMIT (250 * SDSIM_MS)
#define SDXC_LIMIT (500 * SDSIM_MS)
#define SDHC_MOST  (UINT64_C(32) << 30) /* bytes, section 3.3.2 */

struct sdsim_busy_limit sdsim_busy_limit(const uint8_t *csd, bool small)
{
    if (csd == NULL) {
        return (struct sdsim_busy_limit){SDHC_LIMIT, small ? SDHC_LIMIT : SDXC_LIMIT};
    }
    const struct sdsim_csd_facts facts = sdsim_csd_decode(csd);
    const sdsim_ps limit =
        facts.version != 1 && facts.capacity > SDHC_MOST ? SDXC_LIMIT : SDHC_LIMIT;
    return (struct sdsim_busy_limit){limit, limit};
}
