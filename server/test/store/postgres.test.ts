import { after } from 'node:test';
import { storeContract } from './contract.ts';
import { postgresKeepers } from './postgres-backend.ts';
import { startPostgres } from './postgres-server.ts';

const server = await startPostgres();
after(() => server.stop());

storeContract('PostgreSQL', postgresKeepers(server));
