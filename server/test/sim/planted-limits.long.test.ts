import { findPlanted } from '../support/sim/find-planted.ts';
import { PLANTED_CALENDARS, PLANTED_LIMITS } from './planted-limits.ts';

const limits = PLANTED_LIMITS.map(bug => ({ faults: ['destinations'], ...bug }));
const calendars = PLANTED_CALENDARS.map(bug => ({ ...bug, faults: ['calendars'] }));
findPlanted('bugs of limits and calendars', [...limits, ...calendars]);
