import { findPlanted } from '../support/sim/find-planted.ts';
import { LONG_BUGS } from '../support/sim/planted-long.ts';

findPlanted('bugs of long worlds and their figures', LONG_BUGS);
