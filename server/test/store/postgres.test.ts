import { after } from 'node:test';
import { postgresBackends } from '../support/store/postgres-backend.ts';
import { startPostgres } from '../support/store/postgres-server.ts';
import { storeContract } from './contract/contract.ts';

const server = await startPostgres();
storeContract('PostgreSQL', postgresBackends(server));
after(() => server.stop());
