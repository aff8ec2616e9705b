import { callerOf } from '../access/authenticate.ts';
import { destinationAnswers, writeDestination } from '../destinations.ts';
import { checkResourceName } from '../http/resource-name.ts';
import {
  EXAMPLE_DESTINATION,
  EXAMPLE_DESTINATION_INPUT,
} from '../openapi/examples/destinations.ts';
import { Destination, DestinationInput } from '../openapi/schemas/destination.ts';
import { route } from '../route.ts';

export const putDestination = route({
  method: 'PUT',
  path: '/v1/destination/:destinationName',
  operationId: 'putDestination',
  summary:
    'Make or replace a destination: who the service is to some hosts, and how fast it calls them',
  description:
    'Schedules name it in `destination`. A write-only field that is left out is kept. To change `hosts`, `allowHttp`, ' +
    '`tls.ca`, `auth.type` or `auth.tokenUrl`, send all secrets again. A change that a schedule would not fit is a 400.',
  tag: 'destinations',
  body: DestinationInput,
  answer: Destination,
  example: { body: EXAMPLE_DESTINATION_INPUT, answer: EXAMPLE_DESTINATION },
  handle: deps => async request => {
    const caller = callerOf(request);
    const { destinationName: name } = request.params;
    checkResourceName(name, 'destination');
    const stored = await writeDestination(deps, caller, name, request.body);
    const [answer] = await destinationAnswers(deps.store, caller.clientRowId, [stored]);
    return answer!;
  },
});
