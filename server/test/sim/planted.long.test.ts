import { findPlanted } from '../support/sim/find-planted.ts';
import { PLANTED } from './planted.ts';
import { PLANTED_CUT_OFF } from './planted-cut-off.ts';

/**
 * The simulator is tested: it finds the bugs that are planted for it, those of crashes among them. They are several files, because a
 * file of the long run has 10 minutes.
 */

findPlanted('bugs of crashes', PLANTED_CUT_OFF);
findPlanted('bugs of delivery', PLANTED);
