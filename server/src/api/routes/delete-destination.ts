import { callerOf } from '../access/authenticate.ts';
import { deleteResource } from '../named-resources.ts';
import { DestinationDeletion } from '../openapi/schemas/destination.ts';
import { route } from '../route.ts';

const DESTINATION = { kind: 'destination', holder: 'its schedules' };

export const deleteDestination = route({
  method: 'DELETE',
  path: '/v1/destination/:destinationName',
  operationId: 'deleteDestination',
  summary: 'Delete a destination that no schedule names',
  description: 'Its secrets go with it. It is a 400 while a schedule that is not deleted names it.',
  tag: 'destinations',
  answer: DestinationDeletion,
  example: { answer: { success: true } },
  handle:
    ({ store, clock }) =>
    async request => {
      const { clientRowId } = callerOf(request);
      const { destinationName: name } = request.params;
      return deleteResource(store.destinations, DESTINATION, clientRowId, name, clock.now());
    },
});
