import { api } from '../queries.ts';

/** All calendars of the client; a client has at most 1,000. */
export const calendarsQuery = {
  queryKey: ['calendars'],
  queryFn: async () => {
    const items = [];
    for await (const calendar of api.calendars()) items.push(calendar);
    return items;
  },
};

export const calendarNamesQuery = {
  ...calendarsQuery,
  select: (items: { name: string }[]) => items.map(({ name }) => name),
};
