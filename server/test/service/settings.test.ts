import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';
import { readConfig, SETTINGS } from '../../src/config.ts';

const README = join(import.meta.dirname, '../../../README.md');

test('the table of settings in the README is the table in config.ts', () => {
  const rows = Object.entries(SETTINGS).map(
    ([name, { fallback, unit, about }]) =>
      `| \`${name}\` | ${fallback === '' ? '' : `\`${fallback}\``} | ${unit} | ${about} |`,
  );
  const readme = readFileSync(README, 'utf8').replaceAll(/ {2,}/g, ' ');
  const missing = rows.filter(row => !readme.includes(row.replaceAll(/ {2,}/g, ' ')));
  assert.deepEqual(missing, []);
});

test('an empty value counts as unset', () => {
  assert.equal(readConfig({ PORT: '' }).port, 8080);
});

test('the database is a path behind sqlite:, relative, absolute or with three slashes', () => {
  const path = (url: string) => readConfig({ DATABASE_URL: url }).database.path;
  assert.equal(path('sqlite:./data/x.db'), './data/x.db');
  assert.equal(path('sqlite:/var/x.db'), '/var/x.db');
  assert.equal(path('sqlite:///var/x.db'), '/var/x.db');
});
