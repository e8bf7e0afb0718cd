#ifndef PART_H
#define PART_H

extern int counter;
int other(int);

#endif
