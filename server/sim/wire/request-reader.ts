/** A request as the target reads it from the bytes of a connection. */
export interface RequestRead {
  method: string;
  path: string;
  /** By their names in small letters. */
  headers: Record<string, string>;
  body: string;
  /** Of its head, and of all of it. */
  headBytes: number;
  bytes: number;
}

const HEAD_END = '\r\n\r\n';

/** Reads the requests of one connection (RFC 9112), in so far as the service writes them: each has a length or no body. */
export class RequestReader {
  #held: Buffer = Buffer.alloc(0);

  /** @returns the requests that are whole with these bytes @throws where they are none */
  take(bytes: Buffer): RequestRead[] {
    this.#held = this.#held.length === 0 ? bytes : Buffer.concat([this.#held, bytes]);
    const requests: RequestRead[] = [];
    for (let next = this.#next(); next !== null; next = this.#next()) {
      requests.push(next);
      this.#held = this.#held.subarray(next.bytes);
    }
    return requests;
  }

  #next(): RequestRead | null {
    const end = this.#held.indexOf(HEAD_END);
    if (end === -1) return null;
    const headBytes = end + HEAD_END.length;
    const [line, ...fields] = this.#held.toString('latin1', 0, end).split('\r\n');
    const [, method, path] = /^([A-Z]+) (\/\S*) HTTP\/1\.1$/.exec(line!) ?? [];
    if (method === undefined) throw new Error(`No request begins with: ${line}`);
    const headers = Object.fromEntries(fields.map(fieldOf));
    const bytes = headBytes + Number(headers['content-length'] ?? 0);
    if (this.#held.length < bytes) return null;
    const body = this.#held.toString('utf8', headBytes, bytes);
    return { method, path: path!, headers, body, headBytes, bytes };
  }
}

function fieldOf(line: string): [string, string] {
  const [, name, value] = /^([^\s:]+): ?(.*)$/.exec(line) ?? [];
  if (name === undefined) throw new Error(`No field is written so: ${line}`);
  return [name.toLowerCase(), value!];
}
