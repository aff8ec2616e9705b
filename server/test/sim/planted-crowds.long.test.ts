import { findPlanted } from '../support/sim/find-planted.ts';
import { CROWD_BUGS, SUSPENSION_BUGS } from '../support/sim/planted-clients.ts';

findPlanted('bugs of suspensions', SUSPENSION_BUGS);
findPlanted('bugs of crowds', CROWD_BUGS);
