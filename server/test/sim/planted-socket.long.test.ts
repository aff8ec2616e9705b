import { findPlanted } from '../support/sim/find-planted.ts';
import { SOCKET_BUGS } from '../support/sim/planted-socket.ts';

findPlanted('bugs of the sender', SOCKET_BUGS);
