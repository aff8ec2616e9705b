import { findPlanted } from '../support/sim/find-planted.ts';
import { NODE_BUGS } from '../support/sim/planted-nodes.ts';
import { PLANTED_STEERED } from './planted-steered.ts';

findPlanted('bugs of nodes that share the store', NODE_BUGS);
findPlanted('bugs of what targets ask for', PLANTED_STEERED);
