import type { Regression } from './regressions.ts';

/** Seeds that failed with calendars beside nodes, which were asked for. */
export const REGRESSIONS_SHARED: Regression[] = [
  {
    seed: 36,
    faults: ['calendars', 'nodes', 'pause'],
    mend: 'calendars: a change is asked for when no earlier call can change anything any more',
  },
  {
    seed: 240,
    faults: ['calendars', 'nodes'],
    mend: 'store: a schedule that is written with a version that was replaced meanwhile asks for a recount',
  },
  {
    seed: 487,
    faults: ['calendars', 'nodes', 'pause'],
    mend: 'rules: a retry that waits for the next start goes behind a manual run that was asked for until then',
  },
  {
    seed: 546,
    faults: ['calendars', 'nodes', 'quiet'],
    mend: 'rules: a change drops the first time of a schedule that a slow store has just written',
  },
  {
    seed: 571,
    faults: ['calendars', 'nodes', 'pause'],
    mend: 'store: a change that is dated just before a firing may be written after that',
  },
  {
    seed: 607,
    faults: ['calendars', 'nodes', 'pause', 'quiet'],
    mend: 'rules: a node looks every 2 s for changes of calendars that others were told of',
  },
  {
    seed: 677,
    faults: ['calendars', 'nodes'],
    mend: 'downtime detector: what was seen before a gap is known, also where the clock is set back after it',
  },
  {
    seed: 1_139,
    faults: ['calendars', 'nodes'],
    mend: 'rules: a node whose clock is behind counts with a calendar from its own instant on',
  },
  {
    seed: 1_240,
    faults: ['calendars', 'nodes', 'pause'],
    mend: 'calendar recounter: a run that begins as its schedule is counted goes on to the times of the new version',
  },
  {
    seed: 1_989,
    faults: ['calendars', 'nodes', 'pause'],
    mend: 'rules: a claim of a dead node is taken back as the next process stops, and the one after it decides',
  },
  {
    seed: 2_632,
    faults: ['calendars', 'nodes'],
    mend: 'rules: a change may drop what waited for a run that has just ended',
  },
  {
    seed: 2_693,
    faults: ['calendars', 'nodes'],
    mend: 'rules: of two changes of calendars in one ms, the one that was answered came first',
  },
  {
    seed: 3_350,
    faults: ['calendars', 'nodes'],
    mend: 'rules: a node that is ahead by a ms sets its clock back by that while its request is on its way',
  },
  {
    seed: 3_570,
    faults: ['calendars', 'nodes'],
    mend: 'rules: what passed while nobody was up gives way to a later time behind a manual run',
  },
  {
    seed: 2_607,
    faults: ['calendars', 'nodes'],
    mend: 'recounter: a node that starts while its store is slow asks that before it takes its clock for set back',
  },
  {
    seed: 3_874,
    faults: ['calendars', 'nodes'],
    mend: 'rules: a change may drop what was begun as the run before it ended just then',
  },
  {
    seed: 3_993,
    faults: ['calendars', 'nodes'],
    mend: 'store: a count that keeps a time leaves what an earlier change has marked',
  },
  {
    seed: 5_174,
    faults: ['calendars', 'nodes'],
    mend: 'calendar recounter: a time that is due is kept only with the times behind it',
  },
  {
    seed: 6_203,
    faults: ['calendars', 'nodes', 'pause', 'quiet'],
    mend: 'rules: what came until a change of a calendar was counted is dropped with it',
  },
  {
    seed: 6_403,
    faults: ['calendars', 'nodes'],
    mend: 'rules: a node sends what it claimed just before a calendar changed',
  },
  {
    seed: 4_914,
    faults: ['calendars', 'nodes'],
    mend: 'store: a settlement that is sent again undoes no later claim of its node',
  },
  {
    seed: 12_575,
    faults: ['calendars', 'nodes'],
    mend: 'rules: what came until a node could note its look again may be too old',
  },
  {
    seed: 13_311,
    faults: ['calendars', 'nodes'],
    mend: 'rules: a node may freeze in the millisecond in which a request ends',
  },
  {
    seed: 311_192,
    faults: ['kill', 'freeze', 'nodes'],
    mend: 'rules: a node that was frozen as the answer came reads it as it goes on, and ends it by what its target has said since',
  },
];
