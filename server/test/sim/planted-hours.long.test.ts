import { findPlanted } from '../support/sim/find-planted.ts';
import { FORECAST_BUGS } from '../support/sim/planted-forecasts.ts';
import { LONG_BUGS } from '../support/sim/planted-long.ts';

findPlanted('bugs of long worlds and their figures', LONG_BUGS);
findPlanted('bugs of forecasts', FORECAST_BUGS);
