/* See faults.c. */
#ifndef FAULTS_H
#define FAULTS_H
#include "faults_again.h"
#endif
