import type { Faults, Status, StatusReason } from '../api/index.ts';

/**
 * A refused request. It travels as an exception, as Express's own middlewares do it, to one place that turns it into the response; the
 * alternative, a union at every level of an async handler, hid the handlers' logic.
 */
export class StatusError extends Error {
  readonly status: Status;

  constructor(status: Status) {
    super(status.message ?? status.reason ?? 'request refused');
    this.name = 'StatusError';
    this.status = status;
  }
}

/** What a request was about, for `details`. */
export interface Subject {
  readonly name?: string | undefined;
  /** Plural for most reasons, as Kubernetes has it. */
  readonly resource: string;
  readonly group: string;
  readonly uid?: string | undefined;
}

interface Failure {
  readonly code: number;
  readonly reason: StatusReason;
  readonly message: string;
  readonly subject?: Subject;
  readonly causes?: Faults;
}

/** An error as the Status object that clients branch on. */
export function failure({ code, reason, message, subject, causes }: Failure): StatusError {
  const details = {
    ...(subject?.name === undefined ? {} : { name: subject.name }),
    ...(subject === undefined || subject.group === '' ? {} : { group: subject.group }),
    ...(subject === undefined ? {} : { kind: subject.resource }),
    ...(subject?.uid === undefined ? {} : { uid: subject.uid }),
    ...(causes === undefined ? {} : { causes }),
  };
  return new StatusError({
    apiVersion: 'v1',
    kind: 'Status',
    metadata: {},
    status: 'Failure',
    message,
    reason,
    ...(Object.keys(details).length === 0 ? {} : { details }),
    code,
  });
}

const qualified = ({ resource, group }: Subject): string => (group === '' ? resource : `${resource}.${group}`);
const quoted = ({ name = '' }: Subject): string => JSON.stringify(name);

export const badRequest = (message: string): StatusError => failure({ code: 400, reason: 'BadRequest', message });

export const notFound = (subject: Subject): StatusError =>
  failure({ code: 404, reason: 'NotFound', message: `${qualified(subject)} ${quoted(subject)} not found`, subject });

export const noSuchPath = (): StatusError =>
  failure({ code: 404, reason: 'NotFound', message: 'the server could not find the requested resource' });

export const methodNotAllowed = (): StatusError =>
  failure({
    code: 405,
    reason: 'MethodNotAllowed',
    message: 'the server does not allow this method on the requested resource',
  });

export const alreadyExists = (subject: Subject): StatusError =>
  failure({
    code: 409,
    reason: 'AlreadyExists',
    message: `${qualified(subject)} ${quoted(subject)} already exists`,
    subject,
  });

export const conflict = (subject: Subject, why: string): StatusError =>
  failure({
    code: 409,
    reason: 'Conflict',
    message: `Operation cannot be fulfilled on ${qualified(subject)} ${quoted(subject)}: ${why}`,
    subject,
  });

export const staleUpdate = (subject: Subject): StatusError =>
  conflict(subject, 'the object has been modified; please apply your changes to the latest version and try again');

export const expired = (message: string): StatusError => failure({ code: 410, reason: 'Expired', message });

export const tooLarge = (bytesMax: number): StatusError =>
  failure({
    code: 413,
    reason: 'RequestEntityTooLarge',
    message: `the request body is larger than ${bytesMax} bytes`,
  });

export const unsupportedMediaType = (given: string, accepted: readonly string[]): StatusError =>
  failure({
    code: 415,
    reason: 'UnsupportedMediaType',
    message: `the body of the request was in an unknown format - ${given}; accepted media types include: ${accepted.join(', ')}`,
  });

export const invalid = (subject: Subject & { readonly kind: string }, causes: Faults): StatusError =>
  failure({
    code: 422,
    reason: 'Invalid',
    message: `${subject.kind} ${quoted(subject)} is invalid: ${causes
      .map(({ field = '', message = '' }) => `${field}: ${message}`)
      .join('; ')}`,
    subject: { ...subject, resource: subject.kind },
    causes,
  });

export const internal = (): StatusError =>
  failure({ code: 500, reason: 'InternalError', message: 'an internal error occurred' });

export const unavailable = (message: string): StatusError =>
  failure({ code: 503, reason: 'ServiceUnavailable', message });
