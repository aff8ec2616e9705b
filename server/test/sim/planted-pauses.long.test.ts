import { findPlanted } from '../support/sim/find-planted.ts';
import { PAUSE_BUGS } from '../support/sim/planted-pauses.ts';

findPlanted('bugs of pauses', PAUSE_BUGS);
