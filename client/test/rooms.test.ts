import assert from 'node:assert/strict';
import { readdirSync } from 'node:fs';
import { test } from 'node:test';
import { PunctualClient } from '../src/index.ts';

const FOLDER = new URL('../src/operations/', import.meta.url);

/** The classes of all files in which operations stand, by their names. */
async function rooms(): Promise<[name: string, prototype: object][]> {
  const modules = await Promise.all(
    readdirSync(FOLDER).map(file => import(new URL(file, FOLDER).href)),
  );
  const exported = modules.flatMap(module => Object.entries<{ prototype?: object }>(module));
  return exported.flatMap(([name, { prototype }]) =>
    prototype === undefined || name === 'Operations' || !/^[A-Z]/.test(name)
      ? []
      : [[name, prototype]],
  );
}

test('the client has each operation of each room, and each once', async () => {
  const operations = (await rooms()).flatMap(([room, prototype]) =>
    Object.entries(Object.getOwnPropertyDescriptors(prototype))
      .filter(([name]) => name !== 'constructor')
      .map(([name, { value }]) => ({ room, name, value })),
  );
  const names = operations.map(({ name }) => name);
  assert.ok(names.includes('createSchedule') && names.includes('events'));
  assert.equal(new Set(names).size, names.length);
  const methods = Object.getOwnPropertyDescriptors(PunctualClient.prototype);
  for (const { room, name, value } of operations) {
    assert.equal(methods[name]?.value, value, `${room} ${name}`);
  }
});
