select (('[' || (select '[' || coalesce(string_agg("items"."json", ','), '') || ']'
      from (select ((('[' || "t"."artistId") || ',') || ("t"."albumId" || ']')) as "json"
        from "album_artist" as "t"
        where "t"."artistId" in (select unnest((select $1::bigint[])) as "id")
        order by "t"."albumId") as "items")) || ']') as json
-- ["{2,3}"]
