import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';
import { parse } from 'yaml';

/** The alert rules, by Prometheus' own judge: each fires on a series that it is for, and not before. */

const CASES = join(import.meta.dirname, 'data/alerts.test.yml');
const RULES = join(import.meta.dirname, '../../docs/monitoring/alerts.yml');

interface Rule {
  alert: string;
  expr: string;
  labels: { severity: string };
}
const rules: Rule[] = parse(readFileSync(RULES, 'utf8')).groups[0].rules;

const isThere = spawnSync('promtool', ['--version']).status === 0;
const skip = isThere ? false : 'NOT RUN: there is no promtool here (Debian: prometheus)';

test('each alert fires when it should, and not otherwise', { skip }, () => {
  const { status, stdout, stderr } = spawnSync('promtool', ['test', 'rules', CASES], {
    encoding: 'utf8',
  });
  assert.equal(status, 0, `${stdout}${stderr}`);
});

test('each alert is shown to fire', () => {
  const { tests } = parse(readFileSync(CASES, 'utf8')) as {
    tests: { alert_rule_test: { alertname: string; exp_alerts: unknown[] }[] }[];
  };
  const fired = tests
    .flatMap(each => each.alert_rule_test)
    .filter(({ exp_alerts }) => exp_alerts.length > 0)
    .map(({ alertname }) => alertname);
  assert.deepEqual(
    rules.map(({ alert }) => alert).filter(name => !fired.includes(name)),
    [],
  );
});

test('severities are those that most routings know', () => {
  for (const { alert, labels } of rules) {
    assert.ok(['warning', 'critical'].includes(labels.severity), alert);
  }
});

test('no rule and no panel adds up what every node tells of the whole database', () => {
  const panels = readFileSync(join(RULES, '../grafana.json'), 'utf8');
  for (const text of [panels, ...rules.map(({ expr }) => expr)]) {
    assert.doesNotMatch(
      text,
      /(sum|avg)[^"]*punctual_(queue_depth|outbox_depth|oldest_due|schedules|database_bytes)/,
    );
  }
});
