/** Something that is wrong with the command line or with what it names. Its message is for the person who typed it. */
export class CliError extends Error {}
