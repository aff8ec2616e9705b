import { findPlanted } from '../support/sim/find-planted.ts';
import { CLOCK_BUGS } from '../support/sim/planted-clock.ts';
import { PLANTED_CHANGED_CLOCK } from './planted-changed-clock.ts';
import { PLANTED_CHANGES } from './planted-changes.ts';
import { PLANTED_RACES } from './planted-races.ts';

findPlanted('bugs of changes', PLANTED_CHANGES);
findPlanted('bugs of changes at once', PLANTED_RACES);
findPlanted('bugs of clocks', CLOCK_BUGS);
findPlanted('bugs of changes and clocks', PLANTED_CHANGED_CLOCK);
