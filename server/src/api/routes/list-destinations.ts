import { callerOf } from '../access/authenticate.ts';
import { destinationAnswers } from '../destinations.ts';
import { listResources } from '../named-resources.ts';
import { EXAMPLE_DESTINATION } from '../openapi/examples/destinations.ts';
import { DestinationPage, DestinationQuery } from '../openapi/schemas/destination.ts';
import { route } from '../route.ts';

export const listDestinations = route({
  method: 'GET',
  path: '/v1/destination',
  operationId: 'listDestinations',
  summary: 'List destinations by name',
  description: 'A page is continued by `cursor`.',
  tag: 'destinations',
  query: DestinationQuery,
  answer: DestinationPage,
  example: { query: { limit: 20 }, answer: { items: [EXAMPLE_DESTINATION] } },
  handle:
    ({ store }) =>
    async request => {
      const { clientRowId } = callerOf(request);
      return listResources(store.destinations, clientRowId, request.query, page =>
        destinationAnswers(store, clientRowId, page),
      );
    },
});
