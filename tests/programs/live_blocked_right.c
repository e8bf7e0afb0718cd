/* norn-test
 * cc: -g -O0 -pthread -DTIMED
 * cc: -g -O1 -pthread -DTIMED
 * cc: -g -O0 -pthread -DTOLD
 * cc: -g -O1 -pthread -DTOLD
 * cc: -g -O0 -pthread -DFREE
 * cc: -g -O1 -pthread -DFREE
 * cc: -g -O0 -pthread -DFREE_WRITER
 * cc: -g -O1 -pthread -DFREE_WRITER
 * cc: -g -O0 -pthread -DPOSTED
 * cc: -g -O1 -pthread -DPOSTED
 * cc: -g -O0 -pthread -DLONE
 * cc: -g -O1 -pthread -DLONE
 * cc: -g -O0 -pthread -DDONE
 * cc: -g -O1 -pthread -DDONE
 * prop: live_polite.prop
 * check-exit: 0
 * no-finding: yes
 */
/* As live_blocked.c, but the third thread can go on, and ends it: its time comes, or what it waits for comes in each turn. Only a scheduler that lets it stand still for ever
 * could keep the others from getting through. */
#include "live_blocked.h"
