import { existsSync } from 'node:fs';
import { join } from 'node:path';

/**
 * The folder of the built dashboard: beside this file in the package, and the build of `npm ci` in
 * a checkout.
 */
export const DASHBOARD = ['dashboard', '../../dashboard/dist']
  .map(folder => join(import.meta.dirname, folder))
  .find(folder => existsSync(folder));
