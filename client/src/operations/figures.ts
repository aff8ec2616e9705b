import type { CallOptions } from '../transport.ts';
import type * as Wire from '../wire.ts';
import { Operations, textOf } from './operations.ts';
import { schedulePath } from './schedules.ts';

/** The operations that count firings. */
export class Figures extends Operations {
  /** The results of a schedule's times, counted for each step. */
  history(id: string, query: Wire.HistoryQuery, options: CallOptions = {}): Promise<Wire.History> {
    return this.read('history', `${schedulePath(id)}/history${textOf(query)}`, options);
  }

  /** The times of several schedules, past and to come, counted for each step. */
  timeline(query: Wire.TimelineQuery, options: CallOptions = {}): Promise<Wire.Timeline> {
    return this.read('timeline', `/v1/timeline${textOf(query)}`, options);
  }

  /** The spans in which a schedule could not fire, and the changes of its times. */
  bands(id: string, query: Wire.BandQuery, options: CallOptions = {}): Promise<Wire.Bands> {
    return this.read('bands', `${schedulePath(id)}/band${textOf(query)}`, options);
  }

  stats(query: Wire.StatsQuery = {}, options: CallOptions = {}): Promise<Wire.Stats> {
    return this.read('stats', `/v1/stats${textOf(query)}`, options);
  }

  /** Failed and missed runs by their cause and host, those that go on first. */
  incidents(query: Wire.IncidentQuery = {}, options: CallOptions = {}): Promise<Wire.Incidents> {
    return this.read('incidents', `/v1/incident${textOf(query)}`, options);
  }

  forecast(query: Wire.ForecastQuery = {}, options: CallOptions = {}): Promise<Wire.Forecast> {
    return this.read('forecast', `/v1/forecast${textOf(query)}`, options);
  }

  /** Works out the effect of changes on the firings to come, without storing anything. */
  simulate(input: Wire.SimulationInput, options: CallOptions = {}): Promise<Wire.Simulation> {
    return this.send(
      { operation: 'simulate', method: 'POST', path: '/v1/simulate', body: input },
      options,
    );
  }

  /** Herds of the next 24 hours, and the windows that would spread them. */
  advice(options: CallOptions = {}): Promise<Wire.Advice> {
    return this.read('advice', '/v1/advice', options);
  }
}
