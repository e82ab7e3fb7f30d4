/** The texts in which records have bytes, ids and amounts. */
import { Schema } from "effect"

/** Bytes. */
export const Hex = Schema.String.pipe(Schema.pattern(/^[0-9a-f]*$/)).annotations({ description: "lowercase hex, no 0x" })

/** A hash of 32 bytes: the id of a program or of a data request. */
export const Id = Schema.String.pipe(Schema.pattern(/^[0-9a-f]{64}$/)).annotations({ description: "64 lowercase hex characters" })

/** An amount of credits, gas or ms: larger than a number of JSON may be. */
export const Uint = Schema.String.pipe(Schema.pattern(/^[0-9]+$/)).annotations({ description: "decimal integer" })
