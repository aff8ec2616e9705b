import { callerOf } from '../access/authenticate.ts';
import { presentDestination } from '../destinations.ts';
import { EXAMPLE_DESTINATION } from '../openapi/examples/destinations.ts';
import { Destination } from '../openapi/schemas/destination.ts';
import { route } from '../route.ts';

export const getDestination = route({
  method: 'GET',
  path: '/v1/destination/:destinationName',
  operationId: 'getDestination',
  summary: 'Get a destination',
  description: 'Its secrets are not answered: `hasSecret` says that they are set.',
  tag: 'destinations',
  answer: Destination,
  example: { answer: EXAMPLE_DESTINATION },
  handle:
    ({ store }) =>
    async request => {
      const { clientRowId } = callerOf(request);
      return presentDestination(store, clientRowId, request.params.destinationName);
    },
});
