import { findPlanted } from '../support/sim/find-planted.ts';
import { LONG_BUGS } from '../support/sim/planted-long.ts';
import { NODE_BUGS } from '../support/sim/planted-nodes.ts';

findPlanted('bugs of nodes that share the store', NODE_BUGS);
findPlanted('bugs of long worlds and their figures', LONG_BUGS);
