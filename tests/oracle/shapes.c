#include "shapes.h"

#include "flow.h"
#include "sliced/closure.h"

#define TWO "T0{ fork 1; fork 2; } "
#define THREE "T0{ fork 1; fork 2; fork 3; } "

const struct shape shapes[] = {
        {"H01", "x=1 " TWO "T1{ r=x; if(r){ lock L; } y=1; if(r){ unlock L; } } T2{ lock L; y=2; unlock L; x=0; } sched 0 2 1", 'y',
                FLOW_SYNC, 0},
        {"H02",
                "F{ r=x; if(!r){ return 0; } lock L; return 1; } x=1 " TWO
                "T1{ F(); y=1; } T2{ lock L; y=2; unlock L; x=0; } sched 0 2 1",
                'y', FLOW_JUMP, 0},
        {"H03", "x=3 " TWO "T1{ r=x; t=a[r]; y=1; } T2{ y=2; x=0; } sched 0 2 1", 'y', FLOW_TRAP | FLOW_ADDRESS, 0},
        {"H04", "x=1 " TWO "T1{ r=x; if(r){ while(!z){ } } y=1; } T2{ y=2; x=0; } sched 0 2 1", 'y', FLOW_LOOP, 0},
        {"H05", "x=1 " TWO "T1{ v=0; r=x; if(r){ v=1; } if(v==0){ y=1; } } T2{ y=2; x=0; } sched 0 2 1", 'y', FLOW_PHI, 0},
        {"H06", THREE "T1{ s=0; for(i<2){ r=x; s=s+r; } if(s==1){ y=1; } } T2{ y=2; x=1; } T3{ x=0; } sched 0 2 1. 3 1", 'y',
                FLOW_ACCESS, 0},
        {"H06, stored",
                "T0{ fork 1; fork 2; fork 3; x=0; } T1{ s=0; for(i<2){ r=x; s=s+r; } w=s; f=1; } "
                "T2{ s=f; if(s==1){ q=w; if(q==1){ y=1; } } } T3{ y=2; x=1; } sched 0. 0. 0. 3 1. 0 1 2",
                'y', FLOW_ALL, 0},
        {"H07", "F{ r=x; if(r){ return 1; } return 0; } x=1 " TWO "T1{ v=F(); if(v==0){ y=1; } } T2{ y=2; x=0; } sched 0 2 1", 'y',
                FLOW_RESULT, 0},
        {"H08", "G{ y=1; } x=1 " TWO "T1{ r=x; if(r==0){ G(); } } T2{ y=2; x=0; } sched 0 2 1", 'y', FLOW_CALL, 0},
        {"H09", "x=1 " TWO "T1{ r=x; a[r&1]=1; } T2{ a[0]=2; x=0; } sched 0 2 1", 'a', FLOW_ADDRESS, 0},
        {"H10", THREE "T1{ r=p; a[r&1]=1; f=1; } T2{ s=f; if(s==1){ q=a[0]; if(q==0){ y=2; } } } T3{ y=3; p=1; } sched 0 3 1 2",
                'y', FLOW_ADDRESS, 0},
        {"H11", THREE "T1{ r=p; if(r==0){ x=1; } f=1; } T2{ s=f; if(s==1){ q=x; if(q==0){ y=2; } } } T3{ y=3; p=1; } sched 0 3 1 2",
                'y', FLOW_MASK, 0},
        {"H11, the closure",
                THREE "T1{ r=p; if(r==0){ x=1; } f=1; } T2{ s=f; if(s==1){ q=x; if(q==0){ y=2; } } } T3{ y=3; p=1; } sched 0 3 1 2",
                'y', 0, NORN_RULE_MASK},
        {"H12", TWO "T1{ r=p; if(r==0){ x=1; } q=x; if(q==0){ y=2; } } T2{ y=3; p=1; } sched 0 2 1", 'y', FLOW_MASK, 0},
        {"H13", THREE "T1{ s=p; x=s; f=1; } T2{ s=f; if(s==1){ q=x; if(q==1){ y=2; } } } T3{ y=3; p=1; } sched 0 3 1 2", 'y', 0,
                NORN_RULE_KNOWN},
        {"H14", THREE "T1{ r=p; if(r==1){ x=1; } f=1; } T2{ s=f; if(s==1){ q=x; if(q==1){ y=2; } } } T3{ y=3; p=1; } sched 0 3 1 2",
                'y', FLOW_ACCESS, 0},
        {"H14, the closure",
                THREE "T1{ r=p; if(r==1){ x=1; } f=1; } T2{ s=f; if(s==1){ q=x; if(q==1){ y=2; } } } T3{ y=3; p=1; } sched 0 3 1 2",
                'y', 0, NORN_RULE_MASK | NORN_RULE_CERTAIN},
        {"controlled", "x=1 " TWO "T1{ r=x; if(r==0){ y=1; } } T2{ y=2; x=0; } sched 0 2 1", 'y', FLOW_CONTROL, 0},
        {"certain", "x=1 " TWO "T1{ r=x; if(r==0){ y=1; } } T2{ y=2; x=0; } sched 0 2 1", 'y', 0, NORN_RULE_CERTAIN},
        {"R12, listed", TWO "T1{ y=1; lock L; x=1; unlock L; } T2{ lock L; r=x; unlock L; if(r){ z=1; } y=2; } sched 0 1 2", 'z', 0,
                NORN_RULE_LIST},
        {"H15", "T0{ fork 1; r=p; if(r==1){ fork 2; } } T1{ y=1; p=1; } T2{ y=2; } sched 0. 1 0 2", 'y', FLOW_SYNC, 0},
        {"H16", TWO "T1{ r=p; lock la[r&1]; y=1; unlock la[r&1]; } T2{ lock la[0]; y=2; unlock la[0]; p=1; } sched 0 2 1", 'y',
                FLOW_LOCK, 0},
        {"H17", TWO "T1{ r=f; if(r){ lock L; unlock L; y=1; } } T2{ lock L; f=1; y=2; unlock L; } sched 0 2 1", 'y', 0,
                NORN_RULE_LOCK},
        {"H18", "T0{ fork 1; fork 2; join 1; y=1; } T1{ while(!z){ } } T2{ y=2; z=1; } sched 0. 0. 2 1 0", 'y', 0, NORN_RULE_JOIN},
        {"H19", TWO "T1{ while(!x){ } y=1; } T2{ y=2; x=1; } sched 0 2 1", 'y', FLOW_LOOP, 0},
        {"H20", TWO "T1{ r=x; if(r==0){ exit; } y=1; } T2{ y=2; x=1; } sched 0 2 1", 'y', FLOW_EXIT, 0},
        {"H21", TWO "T1{ r=x; assert(r==1); y=1; } T2{ y=2; x=1; } sched 0 2 1", 'y', FLOW_EXIT, 0},
        {"H22", TWO "T1{ r=try L; if(!r){ y=1; } } T2{ y=2; lock L; unlock L; } sched 0 2. 2. 1. 2 1", 'y', 0, NORN_RULE_TRY},
        {"H23", TWO "T1{ lock L; wait c L; unlock L; y=1; } T2{ y=2; lock L; signal c; unlock L; } sched 0 1. 1. 2 1", 'y', 0,
                NORN_RULE_ORDERED},
        {"H24",
                "T0{ fork 1; fork 2; fork 3; while(!f){ } lock L; signal c; unlock L; } T1{ lock L; f=1; wait c L; unlock L; } "
                "T2{ while(!f){ } lock L; wait c L; unlock L; y=1; } T3{ y=3; broadcast c; } sched 0. 0. 0. 1. 1. 1. 3 2. 2. 2. 0 "
                "2 1",
                'y', 0, NORN_RULE_ORDERED},
        /* The same where T2 may sleep before T1: the signal wakes it then. */
        {"H24, sleeping first",
                "T0{ fork 1; fork 2; fork 3; while(!f){ } lock L; signal c; unlock L; } T1{ lock L; f=1; wait c L; unlock L; } "
                "T2{ lock L; wait c L; unlock L; y=1; } T3{ y=3; broadcast c; } sched 0. 0. 0. 1. 1. 1. 3 2. 2. 0 2 1",
                'y', 0, 0},
        /* S9: a thread that has left the barrier waits for no other; none leaves before all have arrived. */
        {"barrier", "T0{ init b; fork 1; fork 2; } T1{ arrive; y=1; } T2{ arrive; y=2; } sched 0 1 2. 2. 1 2", 'y', 0, 0},
        {"barrier, before", "T0{ init b; fork 1; fork 2; } T1{ y=1; x=1; arrive; } T2{ x=2; arrive; y=2; } sched 0 1 2 1", 'y', 0,
                NORN_RULE_ORDERED},
        {"trap", TWO "T1{ r=x; t=div(1,r); y=1; } T2{ y=2; x=1; } sched 0 2 1", 'y', FLOW_TRAP, 0},
        {"argument",
                "F(r){ return r; } " THREE "T1{ s=p; v=F(s,0); x=v; f=1; } T2{ s=f; if(s==1){ q=x; if(q==1){ y=2; } } } "
                "T3{ y=3; p=1; } sched 0 3 1 2",
                'y', FLOW_ARGUMENT, 0},
        {"expected",
                "x=1 " THREE
                "T1{ s=p; r=cas(x,s,2); f=1; } T2{ s=f; if(s==1){ q=x; if(q==2){ y=2; } } } T3{ y=3; p=1; } sched 0 3 1 2",
                'y', FLOW_CAS, 0},
        {"unseen write", "T0{ fork 1; fork 2; z=2; } T1{ y=1; opaque; } T2{ z=1; r=w; if(r==1){ y=2; } } sched 0 1 2", 'y', 0,
                NORN_RULE_EXTERNAL},
        {"X2, hidden state", "T0{ fork 1; fork 2; z=2; } T1{ y=1; r=rand; } T2{ z=1; r=rand; if(r==1){ y=2; } } sched 0 1 2", 'y',
                0, NORN_RULE_CALL},
        {"resource", "T0{ fork 1; fork 2; z=2; } T1{ y=1; put 1; } T2{ z=1; r=look; if(r==1){ y=2; } } sched 0 1 2", 'y', 0,
                NORN_RULE_ORDERED},
        {"resource, changed", "T0{ fork 1; fork 2; z=2; } T1{ y=1; r=swap 1; } T2{ z=1; r=swap 2; if(r==1){ y=2; } } sched 0 1 2",
                'y', 0, NORN_RULE_ORDERED},
        {"memory again, by an older pointer",
                "T0{ r=malloc; p=r; fork 1; fork 2; z=2; } T1{ z=1; q=p; y=1; free q; } "
                "T2{ t=p; s=malloc; *s=1; u=*t; if(u==1){ y=2; } } sched 0 1 2",
                'y', 0, NORN_RULE_LIFE},
        {"memory again", "T0{ fork 1; fork 2; z=2; } T1{ z=1; r=malloc; y=1; free r; } T2{ s=malloc; y=2; } sched 0 1 2", 'y', 0,
                0},
        {"memory again, used",
                TWO "T1{ r=malloc; *r=1; y=1; s=*r; free r; } T2{ r=malloc; *r=2; s=*r; if(s==2){ y=2; } free r; } sched 0 1 2",
                'y', 0, 0},
        {"T01", TWO "T1{ y=1; lock L; x=1; unlock L; } T2{ lock L; x=2; unlock L; y=2; } sched 0 1 2", 'y', 0, 0},
        {"T02", TWO "T1{ y=1; lock L; x=1; unlock L; } T2{ lock L; r=x; unlock L; z=r; y=2; } sched 0 1 2", 'y', 0, 0},
        {"T03", TWO "T1{ y=1; lock L; x=1; unlock L; } T2{ lock L; r=x; unlock L; if(r){ z=1; } y=2; } sched 0 1 2", 'y', 0, 0},
        {"T03, else",
                TWO "T1{ y=1; lock L; x=1; unlock L; } T2{ lock L; r=x; unlock L; if(r){ s=w; } else { z=1; } y=2; } sched 0 1 2",
                'y', 0, 0},
        {"T03, early return",
                "F{ r=x; if(r){ return 1; } z=1; return 1; } " TWO
                "T1{ y=1; lock L; x=1; unlock L; } T2{ lock L; s=F(); unlock L; y=2; } sched 0 1 2",
                'y', 0, 0},
        {"V2, initial", "x=1 " TWO "T1{ r=x; if(r==1){ lock L; y=1; unlock L; } } T2{ y=2; x=1; } sched 0 2 1", 'y', 0, 0},
        {"V6.a", "x=1 " TWO "T1{ r=x; if(r!=0){ lock L; y=1; unlock L; } } T2{ y=2; x=2; } sched 0 2 1", 'y', 0, 0},
        {"V6.a, result",
                "x=1 F{ r=x; return r; } " TWO "T1{ s=F(0,0); if(s!=0){ lock L; y=1; unlock L; } } T2{ y=2; x=2; } sched 0 2 1",
                'y', 0, 0},
        {"V7", THREE "T1{ r=x; x=r+1; } T2{ s=x; if(s!=0){ lock L; y=2; unlock L; } } T3{ y=3; x=1; } sched 0 3 1 2", 'y', 0, 0},
        {"V7, rmw", THREE "T1{ r=add(x,1); } T2{ s=x; if(s!=0){ lock L; y=2; unlock L; } } T3{ y=3; x=1; } sched 0 3 1 2", 'y', 0,
                0},
        {"V7, on",
                THREE "T1{ r=x; z=r+1; s=z; t=z; x=t==s; f=s; } T2{ r=f; s=z; if(s<3){ lock L; y=2; unlock L; } } T3{ y=3; x=1; } "
                      "sched 0 3 1 2",
                'y', 0, 0},
        {"T04", THREE "T1{ lock L; y=1; unlock L; } T2{ lock L; f=1; unlock L; } T3{ r=f; if(r){ y=3; } } sched 0 1 2 3", 'y', 0,
                0},
};

const unsigned shape_count = sizeof(shapes) / sizeof(shapes[0]);

const struct order_shape order_shapes[] = {
        {"S20.a", TWO "T1{ x=1; @~f=1; } T2{ r=@~f; if(r){ s=x; } } sched 0 1 2", true},
        {"S20.b", TWO "T1{ x=1; @>f=1; @~f=2; } T2{ r=@<f; if(r==2){ s=x; } } sched 0 1 2", false},
        {"S20.c", THREE "T1{ x=1; @>f=1; } T2{ r=add(@~f,1); } T3{ r=@<f; if(r==2){ s=x; } } sched 0 1 2 3", false},
        {"S20.d", TWO "T1{ x=1; fence >; @~f=1; } T2{ r=@~f; if(r){ fence <; s=x; } } sched 0 1 2", false},
        {"S20.e", THREE "T1{ x=1; @>f=1; } T2{ r=@~f; if(r==1){ @~f=2; } } T3{ r=@<f; if(r==2){ s=x; } } sched 0 1 2 3", true},
        {"S20.f", TWO "T1{ fence >; x=1; @~f=1; } T2{ r=@<f; if(r){ s=x; } } sched 0 1 2", true},
        {"S20, acquire missing", TWO "T1{ x=1; @>f=1; } T2{ r=@~f; if(r){ s=x; } } sched 0 1 2", true},
        {"S20, failed exchange", TWO "T1{ x=1; @>f=1; } T2{ r=cas(@>f,0,2); if(r==1){ s=x; } } sched 0 1 2", true},
        {"S20, failed exchange that acquires", TWO "T1{ x=1; @>f=1; } T2{ r=cas(@&f,0,2); if(r==1){ s=x; } } sched 0 1 2", false},
        {"S21.a", TWO "T1{ x=1; @>f=1; @~g=1; } T2{ r=@~g; if(r){ s=@<f; t=x; } } sched 0 1 2", false},
        {"S21.a, not read", TWO "T1{ x=1; @>f=1; @~g=1; } T2{ r=@~g; if(r){ t=x; } } sched 0 1 2", true},
};

const unsigned order_shape_count = sizeof(order_shapes) / sizeof(order_shapes[0]);

const struct property_shape property_shapes[] = {
        {"P01", TWO "T1{ lock L; x=1; mark A; unlock L; } T2{ lock L; r=x; if(r==0){ mark B; } unlock L; mark C; } sched 0 2 1",
                false, FLOW_SYNC},
        {"P02", TWO "T1{ mark A; r=p; if(r==0){ mark C; } mark B; } T2{ mark C; p=1; } sched 0 2 1", false, FLOW_SYNC},
        {"P03", TWO "T1{ lock L; x=1; mark A; unlock L; } T2{ lock L; r=x; w=r; mark B; unlock L; mark C; } sched 0 2 1", true, 0},
        {"R20",
                TWO "T1{ mark B; lock L; r=x; if(r==0){ lock M; unlock M; } unlock L; } "
                    "T2{ lock L; mark A; x=1; mark C; unlock L; } sched 0 1 2",
                true, 0},
        {"V1.a", THREE "T1{ r=x; w=r; mark A; } T2{ mark B; x=1; mark C; } T3{ q=w; if(q==1){ mark A; } } sched 0 2 1 3", true, 0},
        {"V1.b",
                THREE "T1{ r=x; w=r; if(r==1){ mark A; } } T2{ mark B; x=1; mark C; } T3{ q=w; if(q==1){ mark A; } } sched 0 2 1 3",
                false, FLOW_SYNC},
        {"V11.a", TWO "T1{ r=x; if(r==1){ w=1; } mark A; } T2{ mark B; x=1; mark C; } sched 0 2 1", true, 0},
        {"V11.b", TWO "T1{ r=x; if(r==0){ w=1; } q=w; if(q==0){ mark A; } } T2{ mark B; x=1; mark C; } sched 0 2 1", false,
                FLOW_MASK},
        {"V11.c", TWO "T1{ r=x; v=0; if(r==1){ w=2; v=1; } if(v==1){ mark A; } } T2{ mark B; x=1; mark C; } sched 0 2 1", false,
                FLOW_PHI},
        {"V11.d", TWO "T1{ r=x; if(r==1){ w=1; mark A; } } T2{ mark B; x=1; mark C; } sched 0 2 1", false, FLOW_SYNC},
        {"V6.a", TWO "T1{ r=x; if(r<2){ mark A; } } T2{ mark B; x=1; mark C; } sched 0 2 1", true, 0},
        {"V6.b", TWO "T1{ r=x; if(r==1){ mark A; } } T2{ mark B; x=1; mark C; } sched 0 2 1", false, FLOW_SYNC},
        {"V7.a", THREE "T1{ q=add(@w,1); mark A; } T2{ mark B; q=add(@w,1); mark C; } T3{ r=w; if(r==2){ mark A; } } sched 0 2 1 3",
                true, 0},
};

const unsigned property_shape_count = sizeof(property_shapes) / sizeof(property_shapes[0]);

#define TRIED_BY_T2 "T1{ y=1; lock L; unlock L; } T2{ r=try L; if(!r){ y=2; } } "

const struct counterexample counterexamples[] = {
        {"S2.a", TWO TRIED_BY_T2 "sched 0 1. 1. 2 1", RACE, 'y', false, NORN_RULE_TRY},
        {"S2.b", THREE TRIED_BY_T2 "T3{ lock L; unlock L; } sched 0 1 3. 2 3", RACE, 'y', true, 0},
        {"S3.a",
                THREE "T1{ rdlock R; y=1; unlock R; f=1; } T2{ r=tryrd R; if(!r){ y=2; } } "
                      "T3{ s=f; if(s){ wrlock R; unlock R; } } sched 0 1 3. 3. 2 3",
                RACE, 'y', false, NORN_RULE_TRY},
        {"S5.a", TWO "T1{ lock L; signal c; unlock L; y=1; } T2{ y=2; lock L; wait c L; unlock L; } sched 0 2 1 2", RACE, 'y', true,
                0},
        {"S6.a",
                "T0{ fork 1; fork 2; fork 3; } T1{ lock L; wait c L; unlock L; f=1; } "
                "T2{ lock L; wait c L; unlock L; r=f; if(r){ x=2; } } T3{ signal c; x=1; signal c; } sched 0 1 2 3 1 2",
                RACE, 'x', false, 0},
        {"S7.a", TWO "T1{ lock L; r=timedwait c L; if(r){ y=2; } unlock L; } T2{ y=1; signal c; } sched 0 1 2 1", RACE, 'y', false,
                0},
        {"S9.a", "T0{ init b; fork 1; fork 2; } T1{ arrive; y=1; arrive; } T2{ arrive; arrive; y=2; } sched 0 1 2 1 2", RACE, 'y',
                false, NORN_RULE_ORDERED},
        {"S9.b", "T0{ init b; fork 1; fork 2; } T1{ arrive; y=1; arrive; } T2{ arrive; y=2; arrive; } sched 0 1 2 1 2", RACE, 'y',
                true, 0},
        {"S10.a", "T0{ init e 1; fork 1; fork 2; } T1{ y=1; take e; x=1; post e; } T2{ take e; x=1; post e; y=2; } sched 0 1 2",
                RACE, 'y', true, 0},
        {"S12.a", "F{ y=1; } " TWO "T1{ once F; } T2{ once F; y=2; } sched 0 1 2", RACE, 'y', false, NORN_RULE_ORDERED},
        {"S14.a", TWO "T1{ y=1; create L; } T2{ lock L; unlock L; y=2; } sched 0 1 2", RACE, 'y', false, 0},
        {"S15.a", TWO "T1{ r=malloc; *r=1; free r; } T2{ r=malloc; *r=2; free r; } sched 0 1 2", RACE, '*', false, 0},
        {"S15.d", "T0{ r=malloc; p=r; fork 1; free r; q=malloc; } T1{ s=p; free s; } sched 0 1", DOUBLE_FREE, 0, true, 0},
        {"S15.g", TWO "T1{ q=malloc; a[q&1]=1; y=1; free q; } T2{ s=malloc; r=a[s&1]; if(r){ y=2; } } sched 0 1 2", RACE, 'y',
                false, 0},
        {"S15.h", TWO "T1{ q=malloc; *q=1; y=1; free q; } T2{ s=malloc; *s=2; y=2; } sched 0 1 2", RACE, 'y', true, 0},
        {"S17.b", "T0{ fork 1; f=1; signal c; join 1; } T1{ lock L; r=f; if(!r){ wait c L; } unlock L; } sched 0. 1 0 1 0", STUCK,
                0, true, 0},
        {"S17.c",
                "T0{ fork 1; fork 2; signal c; } T1{ lock L; wait c L; unlock L; } T2{ lock L; wait c L; unlock L; signal c; } "
                "sched 0. 0. 2 1 0 2 1",
                STUCK, 0, true, 0},
        {"S17.d, once", "F{ lock L; unlock L; } " TWO "T1{ once F; } T2{ lock L; once F; unlock L; } sched 0 1 2", CIRCLE, 0, true,
                0},
        {"S17.d, ended", TWO "T1{ lock L; unlock L; } T2{ lock L; } sched 0 1 2", STUCK, 0, true, 0},
        {"S17.e", "T0{ init e 0; fork 1; lock L; unlock L; post e; } T1{ lock L; take e; unlock L; } sched 0 1", STUCK, 0, true, 0},
        {"S17.f", "T0{ init b; fork 1; lock L; unlock L; arrive; } T1{ lock L; arrive; unlock L; } sched 0 1 0", STUCK, 0, true, 0},
        {"V1, an assertion before", "x=2 T0{ fork 1; s=x; @w=s; } T1{ r=@w; s=@w; assert(r==s); s=@w; assert(r==s); } sched 0 1",
                ASSERTION, 0, true, 0},
        {"V6, one of two in a region", "w=1 " TWO "T1{ lock L; r=w; s=w; unlock L; assert(r==s); } T2{ w=s; } sched 0 1 2",
                ASSERTION, 0, true, 0},
        {"V6, what the last one saw stays", "x=1 " TWO "T1{ r=y; s=x; assert(r!=s); } T2{ y=2; x=0; } sched 0 2 1", ASSERTION, 0,
                true, 0},
        {"V6, two of three", "p=1 " TWO "T1{ r=p; s=p; assert(r==s); s=w; assert(r!=s); } T2{ p=0; } sched 0 1 2", ASSERTION, 0,
                true, 0},
        {"V6, a byte", TWO "T1{ r=w; assert(r==0); } T2{ w.l=1; } sched 0 1 2", ASSERTION, 0, true, 0},
        {"V6, without a byte", TWO "T1{ r=w; assert(r==3); } T2{ w=1; w.h=2; } sched 0 2 1", ASSERTION, 0, true, 0},
        {"V6, a copy", "w=2 " TWO "T1{ r=w; assert(r==2); } T2{ copy w.d p.d; } sched 0 1 2", ASSERTION, 0, true, 0},
        {"V6, an earlier write later", "T0{ fork 1; fork 2; join 2; r=p; assert(r==0); } T1{ p=1; } T2{ p=0; } sched 0 1 2 0",
                ASSERTION, 0, true, 0},
        {"V7, an update later", TWO "T1{ r=add(x,1); } T2{ x=1; s=x; assert(s!=2); } sched 0 1 2", ASSERTION, 0, true, 0},
        {"C6.a", TWO "T1{ y=1; f=1; } T2{ r=f; if(r){ y=2; } } sched 0 1 2", RACE, 'y', false, NORN_RULE_CERTAIN},
};

const unsigned counterexample_count = sizeof(counterexamples) / sizeof(counterexamples[0]);
