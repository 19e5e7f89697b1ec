select (('[' || (select '[' || coalesce(string_agg("items"."json", ','), '') || ']'
      from (select ((('[' || cast("t"."artistId" as integer)) || ',') || (cast("t"."albumId" as integer) || ']')) as "json"
        from "album_artist" as "t"
        where "t"."artistId" in (select value as "id"
          from json_each(?))
        order by "t"."albumId") as "items")) || ']') as json
-- ["[2,3]"]
