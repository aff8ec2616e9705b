import { api } from '../queries.ts';

/** All destinations of the client; a client has at most 1,000. */
export const destinationsQuery = {
  queryKey: ['destinations'],
  queryFn: async () => {
    const items = [];
    for await (const destination of api.destinations()) items.push(destination);
    return items;
  },
};
