import { page } from '../route.ts';

/** The document of the API. */
export const openapi = page(
  '/openapi.json',
  () =>
    async ({ server }) =>
      server.swagger(),
);
