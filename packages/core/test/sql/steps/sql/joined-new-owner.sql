with "crud_s0" as (insert into "album" ("title", "shelf", "facts", "labelId", "openerId") values ($1, $2, $3::text::json, $4, $5) returning "id"), "crud_s1" as (insert into "track" ("albumId", "title") values (coalesce($6, (select "id"
        from "crud_s0")), $7) returning 1), "crud_s2" as (insert into "album_artist" ("albumId", "artistId") select coalesce("x"."albumId", (select "id"
      from "crud_s0")), "x"."artistId"
  from (select "crud_record"."albumId", "crud_record"."artistId"
    from unnest(array(select jsonb_populate_recordset((select "crud_type"
            from "album_artist" as "crud_type"
            where false), $8::text::jsonb))) as "crud_record") as "x"
  where not exists (select 1
    from "album_artist" as "t"
    where "t"."albumId" = coalesce("x"."albumId", (select "id"
        from "crud_s0")) and "t"."artistId" = "x"."artistId") returning 1) select set_config('fastify_crud.album', (select "id"::text
    from "crud_s0"), true) as "crud_s0", (select case when "crud_written".count < $9::numeric then cast('fastify-crud: the database has left a row as it is, so the request is refused' || left(coalesce("crud_written".count::text, ''), 0) as integer) end
  from (select (select count(*)
      from "crud_s0") + (select count(*)
      from "crud_s1") + (select count(*)
      from "crud_s2") as count offset 0) as "crud_written") as done
-- ["New",null,null,1,null,null,"t","[{\"albumId\":null,\"artistId\":3}]",3]
