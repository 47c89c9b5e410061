import { numberAt, type StatusReason, textAt } from '../api/index.ts';

/** The API server refused a request. */
export class ApiError extends Error {
  /** The HTTP status code. */
  readonly status: number;
  readonly reason: string;
  constructor(request: string, status: number, body: unknown) {
    super(`${request}: ${status} ${textAt(body, 'message') ?? ''}`);
    this.name = 'ApiError';
    this.status = status;
    this.reason = textAt(body, 'reason') ?? '';
  }
}

/** Whether a request was refused for this reason. */
export function isRefused(error: unknown, reason: StatusReason): boolean {
  return error instanceof ApiError && error.reason === reason;
}

/** The error in an ERROR line of a watch. */
export function watchError(status: unknown): ApiError {
  return new ApiError('watch', numberAt(status, 'code') ?? 500, status);
}
