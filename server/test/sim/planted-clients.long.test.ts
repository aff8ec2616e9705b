import { findPlanted } from '../support/sim/find-planted.ts';
import { CLIENT_BUGS } from '../support/sim/planted-clients.ts';

findPlanted('bugs of clients', CLIENT_BUGS);
