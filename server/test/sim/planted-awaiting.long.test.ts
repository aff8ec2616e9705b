import { findPlanted } from '../support/sim/find-planted.ts';
import { PAUSE_BUGS } from '../support/sim/planted-pauses.ts';
import { PLANTED_AWAITING } from './planted-awaiting.ts';

findPlanted('bugs of runs that await', PLANTED_AWAITING);
findPlanted('bugs of pauses', PAUSE_BUGS);
