create extension if not exists citext;
create extension if not exists hstore;
create table schema_migrations (
  version varchar primary key
);
create table ar_internal_metadata (
  key varchar primary key,
  value varchar,
  created_at timestamp(6) not null,
  updated_at timestamp(6) not null
);
create table users (
  id bigserial primary key,
  email citext not null default '',
  encrypted_password varchar not null default '',
  sign_in_count integer not null default 0,
  current_sign_in_ip inet,
  type varchar,
  role integer not null default 0,
  settings hstore,
  deleted_at timestamp(6),
  created_at timestamp(6) not null,
  updated_at timestamp(6) not null
);
create unique index index_users_on_email on users (email) where deleted_at is null;
create table projects (
  id bigserial primary key,
  name varchar not null,
  owner_id bigint not null references users,
  tasks_count integer not null default 0,
  budget numeric(12,2),
  starts_on date,
  search tsvector generated always as (to_tsvector('simple', name)) stored,
  lock_version integer not null default 0,
  created_at timestamp(6) not null,
  updated_at timestamp(6) not null
);
create table tasks (
  id bigserial primary key,
  project_id bigint not null references projects,
  title varchar not null,
  "position" integer,
  done boolean not null default false,
  labels varchar[] not null default '{}',
  data jsonb not null default '{}',
  created_at timestamp(6) not null,
  updated_at timestamp(6) not null
);
create unique index index_tasks_on_project_and_position on tasks (project_id, "position");
create table tags (
  id bigserial primary key,
  name varchar not null,
  created_at timestamp(6) not null,
  updated_at timestamp(6) not null
);
create table tags_tasks (
  tag_id bigint not null,
  task_id bigint not null
);
create index index_tags_tasks on tags_tasks (tag_id, task_id);
create table memberships (
  id bigserial primary key,
  user_id bigint not null references users,
  project_id bigint not null references projects,
  role varchar not null default 'member',
  created_at timestamp(6) not null,
  updated_at timestamp(6) not null
);
create unique index index_memberships on memberships (user_id, project_id);
create table active_storage_blobs (
  id bigserial primary key,
  key varchar not null unique,
  filename varchar not null,
  content_type varchar,
  metadata text,
  service_name varchar not null,
  byte_size bigint not null,
  checksum varchar,
  created_at timestamp(6) not null
);
create table active_storage_attachments (
  id bigserial primary key,
  name varchar not null,
  record_type varchar not null,
  record_id bigint not null,
  blob_id bigint not null references active_storage_blobs,
  created_at timestamp(6) not null,
  unique (record_type, record_id, name, blob_id)
);
create table comments (
  id bigserial primary key,
  commentable_type varchar,
  commentable_id bigint,
  body text not null,
  user_id bigint references users on delete set null,
  created_at timestamp(6) not null,
  updated_at timestamp(6) not null
);
