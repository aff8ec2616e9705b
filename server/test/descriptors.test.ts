import assert from 'node:assert/strict';
import { test } from 'node:test';
import { readConfig } from '../src/config.ts';
import { descriptorLimit, descriptorsWanted, withinLimit } from '../src/descriptors.ts';
import { judgeDescriptors } from '../src/findings.ts';

const CONFIG = readConfig({ UV_THREADPOOL_SIZE: '128' });

test('settings that fit into the limit stay as they are', () => {
  const wanted = descriptorsWanted(CONFIG);
  for (const limit of [null, wanted, 1_048_576]) {
    assert.equal(withinLimit(CONFIG, limit), CONFIG);
  }
});

test('whatever the limit: callers and targets together leave what the process needs', () => {
  for (const limit of [96, 128, 256, 1_024, 4_096, 7_000]) {
    const { api, engine, sender } = withinLimit(CONFIG, limit);
    const { maxInFlight, maxInFlightPerHost, outboxSlots } = engine;
    assert.ok(maxInFlight + outboxSlots <= sender.maxConnections, `${limit}`);
    assert.ok(
      api.connections + sender.maxConnections + sender.maxLookups + 64 <= limit,
      `${limit}`,
    );
    assert.ok(api.connections >= 8 && maxInFlight >= 8 && outboxSlots >= 4, `${limit}`);
    assert.ok(maxInFlightPerHost < maxInFlight, `${limit}: no host takes all`);
  }
});

test('the doctor warns below what the settings can use', () => {
  assert.equal(judgeDescriptors(1_024, 7_324).state, 'warning');
  assert.equal(judgeDescriptors(7_324, 7_324).state, 'ok');
});

test('the limit of this process is known on Linux', { skip: process.platform !== 'linux' }, () => {
  assert.ok(descriptorLimit()! > 0);
});
