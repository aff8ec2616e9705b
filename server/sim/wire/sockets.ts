import { createHmac } from 'node:crypto';
import type { Socket } from 'node:net';
import { ALLOW_PUBLIC } from '../../src/domain/schedule/target.ts';
import type { Target } from '../../src/outbound/guard.ts';
import type { OutboundRequest, Send, SendResult } from '../../src/outbound/send.ts';
import { createSender, type Sender } from '../../src/outbound/sender.ts';
import type { Machine, Owner } from '../machine.ts';
import type { LineSeen, SendSeen, WireSeen, WrittenSeen } from '../model/wire-evidence.ts';
import type { Random } from '../random.ts';
import { Line } from './line.ts';
import { isPublic, isSecond, Names } from './names.ts';
import {
  type Asks,
  type Ended,
  headersOf,
  type Network,
  type Plan,
  type Senders,
  type Wired,
} from './network.ts';
import { Peer, type PeerOptions } from './peer.ts';
import type { RequestRead } from './request-reader.ts';

const KEEP_ALIVE_MS = 4_000;
const LOOKUP_MS = 8_000;
const MAX_LOOKUPS = 4;
const MAX_ORIGINS = 5;

export interface SocketOptions {
  machine: Machine;
  network: Network;
  random: Random;
  connectionsPerOrigin: number;
  /** What signs requests. */
  signingSecret: string;
  /** Of a slow name server. */
  slowestMs: number;
}

/** The sockets of a world: the real sender of each process sends through them, and the targets read real bytes. */
export class Sockets implements Senders {
  readonly #around: SocketOptions;
  readonly #names: Names;
  readonly #sends: SendSeen[] = [];
  readonly #lines: LineSeen[] = [];
  /** What is under way, by process and request. */
  readonly #underWay = new Map<string, Going>();
  readonly #senders = new Map<Owner, Sender>();
  readonly #lives = new Map<Owner, string>();
  /** When each process died, by its name. */
  readonly #until: Record<string, number> = {};

  constructor(around: SocketOptions) {
    this.#around = around;
    this.#names = new Names({ ...around, isGentle: () => this.#isGentle });
  }

  get seen(): WireSeen {
    const { machine, connectionsPerOrigin } = this.#around;
    const now = machine.monotonicMs;
    const lived = Object.entries(this.#until).map(([name, ms]) => [name, Math.min(ms, now)]);
    return {
      ...{ connectionsPerOrigin, keepAliveMs: KEEP_ALIVE_MS },
      longestMs: Math.max(0, ...this.#sends.map(({ timeoutMs }) => timeoutMs)) + 51,
      ...{ untilMs: Object.fromEntries(lived), sends: this.#sends, lines: this.#lines },
    };
  }

  cutOff(wire: Owner): void {
    const { machine } = this.#around;
    const name = this.#lives.get(wire);
    if (name !== undefined) this.#until[name] = machine.monotonicMs;
  }

  sendFor(process: Wired): Send {
    const { machine } = this.#around;
    const { owner, wire } = process;
    const sender = this.#senderOf(process);
    return request =>
      new Promise(resolve => {
        const going = this.#note(request, process);
        const ended = (result: SendResult) => {
          this.#ended(going, result);
          if (wire === owner) resolve(result);
          else machine.after(0, () => resolve(result), owner);
        };
        if (wire === owner) sender.dispatch(request, ended);
        else machine.after(0, () => sender.dispatch(request, ended), wire);
      });
  }

  /** One for as long as the process lives. */
  #senderOf(process: Wired): Sender {
    const { machine, connectionsPerOrigin } = this.#around;
    const { owner, wire, now } = process;
    const known = this.#senders.get(wire);
    if (known !== undefined) return known;
    this.#until[owner.name] = Number.POSITIVE_INFINITY;
    this.#lives.set(wire, owner.name);
    const sender = createSender({
      ...{ allow: ALLOW_PUBLIC, connectionsPerOrigin, maxOrigins: MAX_ORIGINS },
      ...{ maxLookups: MAX_LOOKUPS, keepAliveMs: KEEP_ALIVE_MS, lookupMs: LOOKUP_MS },
      resolve: host => this.#names.resolve(host, wire),
      openSocket: (target, address) => this.#open(process, target, address),
      clock: {
        now,
        monotonicMs: () => machine.monotonicMs,
        after: (delayMs, call) => machine.after(delayMs, call, wire),
      },
    });
    this.#senders.set(wire, sender);
    return sender;
  }

  #note(request: OutboundRequest, process: Wired): Going {
    const { machine } = this.#around;
    const { method, url, timeoutMs, permit } = request;
    const headers = headersOf(request);
    const key = requestKey(headers);
    const askedAt = machine.trueNow;
    const seen: SendSeen = {
      ...{ scheduleId: headers['punctual-schedule-id'] ?? '', waited: null },
      ...{ node: process.owner.name, name: key, origin: new URL(url).origin, method, timeoutMs },
      ...{
        askedMs: machine.monotonicMs,
        permitMs: null,
        hasDeparted: false,
        cancelledMs: null,
        endedMs: null,
      },
      ...{ outcome: null, status: null, body: null, written: [] },
    };
    this.#sends.push(seen);
    const going = { seen, askedAt, process, permit, arrived: null };
    this.#underWay.set(`${process.owner.name} ${key}`, going);
    for (const how of ['cancel', 'abandon'] as const) {
      const takeBack = permit![how].bind(permit);
      permit![how] = () => {
        takeBack();
        if (permit!.isCancelled) seen.cancelledMs ??= machine.monotonicMs;
      };
    }
    const start = permit!.start.bind(permit);
    permit!.start = () => {
      const isTaken = start();
      if (isTaken && seen.permitMs === null) {
        seen.permitMs = machine.monotonicMs;
        if (seen.permitMs > seen.askedMs) seen.waited = { from: askedAt, to: machine.trueNow };
      }
      return isTaken;
    };
    return going;
  }

  #ended({ seen, askedAt, arrived, process }: Going, result: SendResult): void {
    const { machine } = this.#around;
    const { outcome, responseStatus = null, responseBody = null } = result;
    const { answer = null, hasHead = false } = seen.written.at(-1) ?? {};
    Object.assign(seen, {
      endedMs: machine.monotonicMs,
      ...{
        outcome,
        status: responseStatus,
        body: responseBody,
        error: result.error,
        note: result.note,
      },
      ...(seen.permitMs === null && { waited: { from: askedAt, to: machine.trueNow } }),
      hasDeparted: this.#hasDeparted(seen, process),
    });
    if (answer !== null) arrived?.end(answer.status, arrived.asks);
    // An answer that broke off says when the next attempt may come, as its headers are kept. It steers nothing.
    else arrived?.end(null, hasHead ? { retryAt: arrived.asks.retryAt } : {});
  }

  /** Whether nothing but the network was in its way when it took its permit. */
  #hasDeparted({ permitMs, origin, written }: SendSeen, { owner }: Wired): boolean {
    if (permitMs === null) return false;
    const { hostname } = new URL(origin);
    // A connection that was kept for it may close at that instant.
    const isOf = (line: LineSeen) =>
      line.node === owner.name &&
      line.origin === origin &&
      (line.openedMs === permitMs || line.closedMs === permitMs);
    return (
      written.some(({ atMs }) => atMs === permitMs) ||
      this.#names.wasAsked(hostname, permitMs) ||
      this.#lines.some(isOf)
    );
  }

  #open(process: Wired, { origin, secure, hostname }: Target, address: string): Socket {
    const { machine, random } = this.#around;
    const seen: LineSeen = {
      ...{ node: process.owner.name, origin, address, openedMs: machine.monotonicMs },
      isAllowed: isPublic(address),
      ...{ connectedMs: null, closedMs: null, requests: 0 },
    };
    this.#lines.push(seen);
    const line = new Line(
      machine,
      process.wire,
      seen,
      line => new Peer(line, this.#peerOf(process)),
    );
    const drawn = random.next();
    const isSlow = random.chance(0.03);
    const ms = random.between(0.1, 0.5) + (isSlow ? random.between(5, 600) : 0);
    const handshakeMs = random.between(0.2, 1);
    const mayHang = hostname.startsWith('unwell') || this.#names.isTwofold(hostname);
    const isRefused = hostname.startsWith('away') || drawn < (isSecond(address) ? 0.1 : 0.01);
    if (!this.#isGentle && isRefused) line.comes(ms, () => line.fails('ECONNREFUSED'));
    // Nobody answers, otherwise.
    else if (this.#isGentle || drawn < 0.97 || !mayHang)
      line.comes(ms, () => line.connected(secure, handshakeMs));
    return line.socket;
  }

  get #isGentle(): boolean {
    return this.#around.network.isHealed;
  }

  #peerOf(process: Wired): PeerOptions {
    const { machine, random, network } = this.#around;
    const { targets } = network;
    const goingOf = (request: RequestRead) =>
      this.#underWay.get(`${process.owner.name} ${requestKey(request.headers)}`)!;
    return {
      ...{ machine, random, isGentle: () => this.#isGentle },
      written: (request, line) => this.#written(goingOf(request).seen, request, line.seen),
      planOf: ({ path, headers }) => targets.planOf(path, Number(headers['punctual-attempt'])),
      arrived: (request, plan) => this.#arrived(goingOf(request), request, plan),
      answerTo: (request, plan) => {
        const going = goingOf(request);
        const retryAfter = targets.retryAfter(plan);
        const { status, asked, control } = plan;
        if (going.arrived !== null) going.arrived.asks = { retryAt: retryAfter?.at, asked };
        const headers = [
          ...(retryAfter === undefined ? [] : [`retry-after: ${retryAfter.value}`]),
          ...(control === undefined ? [] : [`punctual-control: ${control}`]),
        ];
        return { status, headers, body: bodyOf(going.seen.name, random) };
      },
    };
  }

  #written(send: SendSeen, request: RequestRead, line: LineSeen): WrittenSeen {
    const { machine, signingSecret } = this.#around;
    const before = line.requests;
    line.requests += 1;
    const isSigned = isSignedBy(signingSecret, request);
    const written = {
      line,
      before,
      atMs: machine.monotonicMs,
      isSigned,
      answeredBytes: 0,
      hasHead: false,
      answer: null,
    };
    send.written.push(written);
    return written;
  }

  /** What may be sent again at once arrives once. */
  #arrived(going: Going, { path, headers, body, method }: RequestRead, plan: Plan): void {
    const { network } = this.#around;
    const { written } = going.seen;
    const last = written.at(-2);
    const isAgain = last !== undefined && last.before > 0 && last.answeredBytes === 0;
    if (going.arrived !== null && isAgain && IDEMPOTENT.has(method)) return;
    going.arrived = {
      end: network.targets.arrive(path, headers, body, plan, going.process),
      asks: {},
    };
  }
}

/** A request that a sender is asked for. */
interface Going {
  seen: SendSeen;
  /** Epoch ms. */
  askedAt: number;
  process: Wired;
  permit: OutboundRequest['permit'];
  /** At its target; null: it is not there yet. */
  arrived: { end: Ended; asks: Asks } | null;
}

const IDEMPOTENT = new Set(['GET', 'HEAD', 'OPTIONS', 'PUT', 'DELETE']);

/** Of no two requests of a process that are under way. */
function requestKey(headers: Record<string, string>): string {
  return `${headers['webhook-id']}/${headers['punctual-attempt']}`;
}

function isSignedBy(secret: string, { headers, body }: RequestRead): boolean {
  const key = Buffer.from(secret.slice('whsec_'.length), 'base64');
  const signed = `${headers['webhook-id']}.${headers['webhook-timestamp']}.${body}`;
  return (
    headers['webhook-signature'] ===
    `v1,${createHmac('sha256', key).update(signed).digest('base64')}`
  );
}

/** It says whose answer it is. */
function bodyOf(name: string, random: Random): string {
  const most = random.chance(0.02) ? 6_000 : 100;
  return JSON.stringify({ of: name, rest: '-'.repeat(random.whole(0, most)) });
}
