import { findPlanted } from '../support/sim/find-planted.ts';
import { NODE_BUGS } from '../support/sim/planted-nodes.ts';

findPlanted('bugs of nodes that share the store', NODE_BUGS);
