import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, test } from 'node:test';
import { parseAllDocuments } from 'yaml';
import { SETTINGS } from '../src/config.ts';

/**
 * The manifests in `deploy/kubernetes`, held against the schemas of Kubernetes and of the Prometheus operator, and
 * against Punctual itself. They are not applied here.
 */

const FOLDER = join(import.meta.dirname, '../../deploy/kubernetes');

interface Manifest {
  apiVersion: string;
  kind: string;
  metadata: { name: string; labels?: Record<string, string> };
  // biome-ignore lint/suspicious/noExplicitAny: as wide as Kubernetes is
  spec?: any;
}

function read(folder: string): Manifest[] {
  return readdirSync(join(FOLDER, folder))
    .filter(file => file !== 'kustomization.yaml')
    .flatMap(file => parseAllDocuments(readFileSync(join(FOLDER, folder, file), 'utf8')))
    .map(document => document.toJS());
}

const hasKustomize = spawnSync('kubectl', ['kustomize', '--help']).status === 0;

/** What `kubectl apply -k` would send. */
function built(folder: string): Manifest[] {
  const { stdout, stderr, status } = spawnSync('kubectl', ['kustomize', join(FOLDER, folder)], {
    encoding: 'utf8',
  });
  assert.equal(status, 0, stderr);
  return parseAllDocuments(stdout).map(document => document.toJS());
}

/** @throws where a field is missing, unknown or of the wrong kind */
async function validate(manifest: Manifest): Promise<void> {
  const { apiVersion, kind } = manifest;
  const library = apiVersion.startsWith('monitoring.coreos.com/')
    ? '@kubernetes-models/prometheus-operator'
    : 'kubernetes-models';
  const { [kind]: Model } = await import(`${library}/${apiVersion}`);
  assert.ok(Model, `${apiVersion} ${kind} is no kind of Kubernetes`);
  new Model(manifest).validate();
}

const podsOf = (manifests: Manifest[]) =>
  manifests.flatMap(({ kind, metadata, spec }) =>
    spec?.template ? [{ kind, name: metadata.name, ...spec.template }] : [],
  );

for (const folder of ['base', 'one-node', 'cluster']) {
  test(`deploy/kubernetes/${folder}: each manifest is one of its kind`, async () => {
    const manifests = read(folder);
    assert.ok(manifests.length >= 2);
    for (const manifest of manifests) await validate(manifest);
  });
}

test('a manifest that is wrong is refused', async () => {
  const [deployment] = read('cluster').filter(({ kind }) => kind === 'Deployment');
  const { spec } = structuredClone(deployment!);
  spec.replicas = 'two';
  await assert.rejects(validate({ ...deployment!, spec }), /replicas/);
});

for (const folder of ['one-node', 'cluster']) {
  describe(`deploy/kubernetes/${folder}`, () => {
    const pods = podsOf(read(folder));

    test('sets what is a setting', () => {
      const { configMapGenerator } = parseAllDocuments(
        readFileSync(join(FOLDER, 'base/kustomization.yaml'), 'utf8'),
      )[0]!.toJS();
      const literals: string[] = configMapGenerator[0].literals;
      const names = [
        ...literals.map(literal => literal.split('=')[0]!),
        ...pods.flatMap(({ spec }) =>
          spec.containers[0].env.map(({ name }: { name: string }) => name),
        ),
      ];
      assert.ok(names.includes('DATABASE_URL'));
      assert.deepEqual(
        names.filter(name => !Object.hasOwn(SETTINGS, name)),
        [],
      );
    });

    test('pods have no rights, write to their volumes alone, and stop in time', () => {
      for (const { kind, name, spec } of pods) {
        const [{ securityContext, resources, volumeMounts }] = spec.containers;
        assert.equal(spec.securityContext.runAsNonRoot, true, name);
        // The user "node" of the image.
        assert.equal(spec.securityContext.runAsUser, 1000, name);
        assert.equal(securityContext.readOnlyRootFilesystem, true, name);
        assert.equal(securityContext.allowPrivilegeEscalation, false, name);
        assert.deepEqual(securityContext.capabilities.drop, ['ALL'], name);
        assert.ok(resources.limits.memory, name);
        assert.ok(
          volumeMounts.some(({ mountPath }: { mountPath: string }) => mountPath === '/tmp'),
        );
        if (kind !== 'Job') assert.ok(spec.terminationGracePeriodSeconds > 30 + 5, name);
      }
    });

    test('nodes are probed where Punctual answers', () => {
      for (const { kind, spec } of pods.filter(pod => pod.kind !== 'Job')) {
        const [{ startupProbe, livenessProbe, readinessProbe, ports }] = spec.containers;
        const paths = [startupProbe, livenessProbe, readinessProbe].map(
          ({ httpGet }) => httpGet.path,
        );
        assert.deepEqual(paths, ['/healthz', '/healthz', '/readyz'], kind);
        assert.equal(String(ports[0].containerPort), SETTINGS.PORT.fallback);
      }
    });

    test('what selects pods finds some', () => {
      const isFound = (selector: Record<string, string>) =>
        pods.some(({ metadata }) =>
          Object.entries(selector).every(([label, value]) => metadata.labels[label] === value),
        );
      for (const { kind, spec } of read(folder)) {
        const selector = kind === 'Service' ? spec.selector : spec?.selector?.matchLabels;
        if (selector && kind !== 'ServiceMonitor') assert.ok(isFound(selector), kind);
      }
    });

    test('built by kustomize it is as valid, and its images have a version', {
      skip: !hasKustomize,
    }, async () => {
      const manifests = built(folder);
      for (const manifest of manifests) await validate(manifest);
      for (const { spec } of podsOf(manifests)) {
        assert.match(spec.containers[0].image, /^punctual:\d+\.\d+\.\d+$/);
        const [config] = (spec.containers[0].envFrom ?? []).map(
          (from: { configMapRef: { name: string } }) => from.configMapRef.name,
        );
        const names = manifests
          .filter(({ kind }) => kind === 'ConfigMap')
          .map(each => each.metadata.name);
        if (config) assert.ok(names.includes(config), config);
      }
      const service = manifests.find(
        ({ kind, metadata }) => kind === 'Service' && metadata.name === 'punctual',
      );
      assert.ok(Object.keys(service!.spec.selector).length >= 1, 'the Service selects nodes');
    });
  });
}

test('the cluster has a budget for each role, and the API follows its load', () => {
  const manifests = read('cluster');
  const kinds = manifests.map(({ kind, metadata }) => `${kind} ${metadata.name}`).sort();
  assert.deepEqual(kinds, [
    'Deployment punctual-api',
    'Deployment punctual-engine',
    'HorizontalPodAutoscaler punctual-api',
    'Job punctual-migration',
    'Namespace punctual',
    'NetworkPolicy punctual-database',
    'PodDisruptionBudget punctual-api',
    'PodDisruptionBudget punctual-engine',
    'Service punctual-metrics',
    'ServiceMonitor punctual',
  ]);
  const roles = podsOf(manifests).flatMap(({ spec }) =>
    spec.containers[0].env.filter(({ name }: { name: string }) => name === 'PUNCTUAL_ROLE'),
  );
  assert.deepEqual(
    roles.map(({ value }: { value: string }) => value),
    ['api', 'engine'],
  );
});
