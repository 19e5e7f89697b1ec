create type "Role" as enum ('USER', 'ADMIN');
create table "User" (
  "id" text primary key,
  "email" text not null,
  "name" text,
  "role" "Role" not null default 'USER',
  "createdAt" timestamp(3) not null default current_timestamp,
  "updatedAt" timestamp(3) not null,
  "scopes" text[]
);
create unique index "User_email_key" on "User" ("email");
create table "Profile" (
  "id" serial primary key,
  "bio" text,
  "userId" text not null references "User" on delete restrict on update cascade
);
create unique index "Profile_userId_key" on "Profile" ("userId");
create table "Post" (
  "id" serial primary key,
  "title" varchar(255) not null,
  "content" jsonb,
  "published" boolean not null default false,
  "views" bigint not null default 0,
  "rating" decimal(65,30),
  "score" double precision,
  "cover" bytea,
  "createdAt" timestamp(3) not null default current_timestamp,
  "updatedAt" timestamp(3) not null
);
create table "Category" (
  "id" serial primary key,
  "name" text not null,
  "parentId" integer references "Category" on delete set null on update cascade
);
create table "_CategoryToPost" (
  "A" integer not null references "Category" on delete cascade on update cascade,
  "B" integer not null references "Post" on delete cascade on update cascade
);
create unique index "_CategoryToPost_AB_unique" on "_CategoryToPost" ("A", "B");
create index "_CategoryToPost_B_index" on "_CategoryToPost" ("B");
create table "Tag" (
  "id" serial primary key,
  "name" text not null
);
create table "_PostToTag" (
  "A" integer not null references "Post" on delete cascade on update cascade,
  "B" integer not null references "Tag" on delete cascade on update cascade,
  constraint "_PostToTag_AB_pkey" primary key ("A", "B")
);
create index "_PostToTag_B_index" on "_PostToTag" ("B");
create table "Like" (
  "userId" text not null references "User" on delete restrict on update cascade,
  "postId" integer not null references "Post" on delete restrict on update cascade,
  "createdAt" timestamp(3) not null default current_timestamp,
  primary key ("userId", "postId")
);
create table "Setting" (
  "key" text primary key,
  "value" jsonb not null
);
create table "_prisma_migrations" (
  "id" varchar(36) primary key,
  "checksum" varchar(64) not null,
  "finished_at" timestamptz,
  "migration_name" varchar(255) not null,
  "logs" text,
  "rolled_back_at" timestamptz,
  "started_at" timestamptz not null default now(),
  "applied_steps_count" integer not null default 0
);
